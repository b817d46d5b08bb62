import type { Migration } from '../migration.ts';
import { answers } from './001-answers.ts';

export const cacheMigrations: readonly Migration[] = [answers];
