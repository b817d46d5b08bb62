import type { Migration } from '../migration.ts';
import { foundation } from './001-foundation.ts';

export const workspaceMigrations: readonly Migration[] = [foundation];
