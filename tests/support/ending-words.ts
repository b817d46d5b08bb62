/** A thread that parses mail ends at a mail that holds this. */
export const END = 'end-of-this-thread';
/** With this among the servers that are believed, such threads end before they are open. */
export const NEVER = 'never-opens.example';
