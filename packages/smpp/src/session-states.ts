/** The life of one connection, as one table. `session.ts` does what it says and nothing else. */
export type SessionState =
  /** The socket is being connected. */
  | "opening"
  /** The bind was sent. */
  | "binding"
  | "bound"
  /** We want to leave: nothing new is sent, answers are awaited. */
  | "draining"
  /** Our unbind was sent. */
  | "unbinding"
  /** The peer wants to leave: nothing new is sent, answers are awaited, then it is answered. */
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
  /** The state's own time is up. */
  | "time_up"
  | "framing_lost"
  | "socket_closed";

export type SessionAction =
  | "send_bind"
  | "send_enquire_link"
  | "send_unbind"
  | "answer_unbind"
  | "send_framing_nack"
  /** Sends what is written, then closes. */
  | "end_socket"
  /** Closes at once. */
  | "destroy_socket";

export interface Move {
  readonly to: SessionState;
  readonly does: readonly SessionAction[];
}

const CLOSE: Move = { to: "closed", does: ["destroy_socket"] };
const END: Move = { to: "closed", does: ["end_socket"] };
const GONE: Move = { to: "closed", does: [] };
const LOST: Move = { to: "closed", does: ["send_framing_nack", "end_socket"] };
const ANSWER_AND_END: Move = { to: "closed", does: ["answer_unbind", "end_socket"] };

/** What is missing here cannot happen in that state, or changes nothing. */
// biome-ignore format: one move per line, read as a table
export const MOVES: Readonly<Record<SessionState, Readonly<Partial<Record<SessionEvent, Move>>>>> = {
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

/** Every limit on waiting, in milliseconds. */
export interface SessionTimes {
  readonly connectMs: number;
  readonly bindMs: number;
  /** Until a request counts as unanswered. Its answer may still come. */
  readonly answerMs: number;
  /** After so long an answer is lost, and its place free. With all of them lost, the session is given up. */
  readonly stuckMs: number;
  /** Silence of the peer after which it is asked whether it lives. */
  readonly enquireLinkMs: number;
  readonly enquireAnswerMs: number;
  /** For outstanding answers, before we unbind. */
  readonly drainMs: number;
  /** For outstanding answers, before the peer's unbind is answered: it will not wait for long. */
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

/** How long a state may last; a state that is missing here may last for ever. */
export const STATE_LIMITS: Readonly<Partial<Record<SessionState, keyof SessionTimes>>> = {
  opening: "connectMs",
  binding: "bindMs",
  draining: "drainMs",
  unbinding: "unbindMs",
  leaving: "leaveMs",
};

/** In these states messages are taken from the peer; in others they are refused. */
export const RECEIVES: ReadonlySet<SessionState> = new Set([
  "bound",
  "draining",
  "unbinding",
  "leaving",
]);
