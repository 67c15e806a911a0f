/** A page or file outside the API: health, metrics, the reference, the OpenAPI document. */
export interface PlainRoute {
  readonly path: string;
  answer(): Promise<{
    status: number;
    type: string;
    body: string | Buffer;
    headers?: Record<string, string>;
  }>;
}
