/** A parsing thread exits at a mail that contains this. */
export const END = 'end-of-this-thread';
/** If this is among the trusted servers, parsing threads exit before they are ready. */
export const NEVER = 'never-opens.example';
