import type { Migration } from '../migration.ts';
import { answers } from './001-answers.ts';
import { resultSets } from './002-result-sets.ts';
import { resultRuns } from './003-result-runs.ts';
import { textFacts } from './004-text-facts.ts';
import { resultLife } from './005-result-life.ts';
import { marks } from './008-marks.ts';
import { keptProfiles } from './009-kept-profiles.ts';

export const cacheMigrations: readonly Migration[] = [
  answers,
  resultSets,
  resultRuns,
  textFacts,
  resultLife,
  marks,
  keptProfiles,
];
