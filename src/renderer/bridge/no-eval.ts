/** The content policy forbids eval, and browsers report even zod's probe for it, so the probe is turned off. */
import { config } from 'zod';

config({ jitless: true });
