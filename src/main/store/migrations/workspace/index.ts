import type { Migration } from '../migration.ts';
import { foundation } from './001-foundation.ts';
import { actions } from './002-actions.ts';
import { intents } from './003-intents.ts';
import { targetNames } from './004-target-names.ts';

export const workspaceMigrations: readonly Migration[] = [foundation, actions, intents, targetNames];
