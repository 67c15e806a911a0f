import type {
  Brand,
  Mode,
  NetworkLimits,
  RegistrationCode,
  RegistrationKind,
  RegistrationStatus,
  RegistrationUseCase,
  TollFree,
  WebsiteCheck,
} from "@longwave/contract";

/** Optional fields of the input. */
export interface Given {
  readonly opt_in_url: string | null;
  readonly privacy_url: string | null;
  readonly terms_url: string | null;
  readonly support_email: string | null;
  /** null: the drafts are filed. */
  readonly sample_messages: readonly string[] | null;
  readonly starter_messages: readonly string[] | null;
  readonly description: string | null;
  readonly brand: Brand;
  /** Absent in rows of earlier versions. */
  readonly toll_free?: TollFree;
  /** Ids with the registry. Absent in rows of earlier versions, and where none was given. */
  readonly campaign_id?: string | null;
  readonly brand_id?: string | null;
  readonly reseller_id?: string | null;
}

export interface HistoryEntry {
  readonly at: string;
  readonly status: RegistrationStatus;
  readonly actor: "customer" | "delivered" | "system";
  readonly label: string;
  readonly reason_code: RegistrationCode | null;
  readonly note: string | null;
}

/** Rates and daily caps that networks granted. The operator's outlast the registry's. */
export interface StoredLimits {
  readonly by: "operator" | "registry";
  readonly networks: readonly NetworkLimits[];
}

export interface RegistrationRow {
  readonly shard: number;
  readonly account_id: string;
  readonly id: string;
  readonly kind: RegistrationKind;
  readonly status: RegistrationStatus;
  readonly business_name: string;
  readonly website: string;
  readonly use_case: RegistrationUseCase;
  readonly given: Given;
  readonly website_check: WebsiteCheck | null;
  readonly rejection: {
    readonly code: RegistrationCode;
    readonly note: string | null;
    readonly rejected_at: string;
  } | null;
  readonly history: readonly HistoryEntry[];
  readonly submissions: number;
  /** Mode of the key that submitted it; null before submission. */
  readonly mode: Mode | null;
  readonly registry_reference: string | null;
  readonly version: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly limits: StoredLimits | null;
}
