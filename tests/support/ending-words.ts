/** A parsing thread ends at a mail that contains this. */
export const END = 'end-of-this-thread';
/** If this is among the trusted servers, such threads end before they are open. */
export const NEVER = 'never-opens.example';
