export type { ConversationsDeps } from "./deps.ts";
export { conversationHandlers } from "./handlers.ts";
export { addReceived } from "./receive.ts";
export { snippetHandlers } from "./snippets.ts";
