import type { Migration } from '../migration.ts';
import { answers } from './001-answers.ts';
import { resultSets } from './002-result-sets.ts';

export const cacheMigrations: readonly Migration[] = [answers, resultSets];
