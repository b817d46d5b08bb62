/** Pieces that several areas of operations share. */
import { z } from 'zod';

export const none = z.object({});
/** Milliseconds since 1970, UTC. */
export const epoch = z.number();
/** Why a change is made, for the journal. */
export const reason = z.string().trim().min(1, 'Enter a reason (logged)').max(2_000);
