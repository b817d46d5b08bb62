/** Runs before every test file: see reused-threads.ts. */
import { reuseThreads } from './reused-threads.ts';
import { THREADS } from './threads.ts';

reuseThreads(Object.values(THREADS).map(String));
