/** Calls that only evidence answers: what rules found in it, and what the analyst says of findings. */
import { z } from 'zod';
import { findingPlace, ruleState } from '../../model/entities.ts';
import { done, read, rowsOf, write } from './declare.ts';

export const evidence = {
  'evidence.rules': read({
    path: '/evidence/rules',
    response: rowsOf(ruleState),
    provides: ['findings'],
    summary: 'How far each rule of the analyst was applied to this evidence, and what it found',
  }),
  'evidence.mark': write({
    path: '/evidence/marks',
    method: 'POST',
    body: z.object({
      entity_id: z.string(),
      /** The check of the finding, and its place, which identify it. */
      check: z.string(),
      place: findingPlace,
      /** Its sentence, for the journal. */
      sentence: z.string().optional(),
      false_positive: z.boolean(),
    }),
    response: done,
    invalidates: ['email', 'scan', 'results', 'findings', 'statistics'],
    summary: 'Marks a finding as a false positive, which is not part of the score, or removes the mark',
  }),
} as const;
