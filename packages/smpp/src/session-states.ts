/** Life cycle of one connection as one table, which `session.ts` executes. */
export type SessionState =
  /** The socket is connecting. */
  | "opening"
  /** We sent the bind. */
  | "binding"
  | "bound"
  /** We are leaving: send nothing new, await responses. */
  | "draining"
  /** We sent the unbind. */
  | "unbinding"
  /** The peer is leaving: send nothing new, await responses, then respond to its unbind. */
  | "leaving"
  | "closed";

export type SessionEvent =
  | "connected"
  | "bind_accepted"
  | "bind_refused"
  | "silent"
  | "enquiry_unanswered"
  | "window_stuck"
  | "leave_asked"
  | "peer_unbinds"
  | "drained"
  | "unbind_answered"
  /** The state's time limit expired (STATE_LIMITS). */
  | "time_up"
  | "framing_lost"
  | "socket_closed";

export type SessionAction =
  | "send_bind"
  | "send_enquire_link"
  | "send_unbind"
  | "answer_unbind"
  | "send_framing_nack"
  /** Flushes queued octets, then closes. */
  | "end_socket"
  /** Closes at once. */
  | "destroy_socket";

export interface Transition {
  readonly to: SessionState;
  readonly does: readonly SessionAction[];
}

const CLOSE: Transition = { to: "closed", does: ["destroy_socket"] };
const END: Transition = { to: "closed", does: ["end_socket"] };
const GONE: Transition = { to: "closed", does: [] };
const LOST: Transition = { to: "closed", does: ["send_framing_nack", "end_socket"] };
const ANSWER_AND_END: Transition = { to: "closed", does: ["answer_unbind", "end_socket"] };

/** Missing combinations cannot happen or change nothing. */
// biome-ignore format: one move per line, read as a table
export const TRANSITIONS: Readonly<Record<SessionState, Readonly<Partial<Record<SessionEvent, Transition>>>>> = {
  opening: {
    connected:          { to: "binding", does: ["send_bind"] },
    leave_asked:        CLOSE,
    time_up:            CLOSE,
    socket_closed:      GONE,
  },
  binding: {
    bind_accepted:      { to: "bound", does: [] },
    bind_refused:       END,
    leave_asked:        CLOSE,
    peer_unbinds:       ANSWER_AND_END,
    time_up:            CLOSE,
    framing_lost:       LOST,
    socket_closed:      GONE,
  },
  bound: {
    silent:             { to: "bound", does: ["send_enquire_link"] },
    enquiry_unanswered: CLOSE,
    window_stuck:       { to: "unbinding", does: ["send_unbind"] },
    leave_asked:        { to: "draining", does: [] },
    peer_unbinds:       { to: "leaving", does: [] },
    framing_lost:       LOST,
    socket_closed:      GONE,
  },
  draining: {
    drained:            { to: "unbinding", does: ["send_unbind"] },
    peer_unbinds:       { to: "leaving", does: [] },
    time_up:            { to: "unbinding", does: ["send_unbind"] },
    framing_lost:       LOST,
    socket_closed:      GONE,
  },
  unbinding: {
    unbind_answered:    END,
    peer_unbinds:       ANSWER_AND_END,
    time_up:            CLOSE,
    framing_lost:       LOST,
    socket_closed:      GONE,
  },
  leaving: {
    drained:            ANSWER_AND_END,
    time_up:            ANSWER_AND_END,
    framing_lost:       LOST,
    socket_closed:      GONE,
  },
  closed: {},
};

/** Timeouts, in milliseconds. */
export interface SessionTimes {
  readonly connectMs: number;
  readonly bindMs: number;
  /** A request counts as unanswered after this time; a late response is still possible. */
  readonly answerMs: number;
  /**
   * A response counts as lost after this time, and its window slot is freed. The session ends when
   * every slot is lost.
   */
  readonly stuckMs: number;
  /** Idle time after which we send enquire_link. */
  readonly enquireLinkMs: number;
  readonly enquireAnswerMs: number;
  /** Wait for outstanding responses before we unbind. */
  readonly drainMs: number;
  /**
   * Wait for outstanding responses before we respond to the peer's unbind; short, because the peer
   * will not wait.
   */
  readonly leaveMs: number;
  readonly unbindMs: number;
}

export const SESSION_TIMES: SessionTimes = {
  connectMs: 10_000,
  bindMs: 30_000,
  answerMs: 60_000,
  stuckMs: 120_000,
  enquireLinkMs: 30_000,
  enquireAnswerMs: 10_000,
  drainMs: 25_000,
  leaveMs: 5_000,
  unbindMs: 5_000,
};

/** Time limit of each state; missing states have none. */
export const STATE_LIMITS: Readonly<Partial<Record<SessionState, keyof SessionTimes>>> = {
  opening: "connectMs",
  binding: "bindMs",
  draining: "drainMs",
  unbinding: "unbindMs",
  leaving: "leaveMs",
};

/** States that accept messages from the peer; the others refuse them. */
export const RECEIVES: ReadonlySet<SessionState> = new Set([
  "bound",
  "draining",
  "unbinding",
  "leaving",
]);
