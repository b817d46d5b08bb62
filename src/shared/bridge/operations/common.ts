/** Pieces that several areas of operations share. */
import { z } from 'zod';

export const none = z.object({});
/** Milliseconds since 1970, UTC. */
export const epoch = z.number();
