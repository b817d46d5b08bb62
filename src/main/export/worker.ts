/** Entry of the writer thread, and of the one that helps it. */
import { runExportThread } from './thread.ts';

runExportThread(new URL(import.meta.url));
