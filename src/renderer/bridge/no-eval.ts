/** The content policy forbids eval, and a browser reports even zod's look whether it may: so it does not look. */
import { config } from 'zod';

config({ jitless: true });
