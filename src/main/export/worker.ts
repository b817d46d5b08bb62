/** Entry module of the writer thread and of its helper. */
import { runExportThread } from './thread.ts';

runExportThread(new URL(import.meta.url));
