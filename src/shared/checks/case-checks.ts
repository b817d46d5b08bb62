/** Checks that need the other mails of the evidence; they run once all of it is imported. */
import type { CheckTool } from '../model/enums.ts';

interface CaseCheck {
  id: string;
  tool: CheckTool;
  label: string;
  /** What a finding weighs at most. */
  weight: number;
}

/** Weighs nothing by itself: every correspondent writes for the first time once. */
export const FIRST_CONTACT = {
  id: 'sender.first-contact',
  tool: 'sender',
  label: 'First contact',
  weight: 0.8,
} as const satisfies CaseCheck;

/** What a first contact must speak of, as found by other checks, to weigh anything. */
export const TELLING_AT_FIRST_CONTACT: readonly string[] = [
  'content.payment',
  'content.bankchange',
  'content.giftcard',
  'content.credentials',
  'content.mailbox',
];

export const CASE_LOOK_ALIKE = {
  id: 'sender.case-look-alike',
  tool: 'sender',
  label: 'Domain imitates one of this evidence',
  weight: 4,
} as const satisfies CaseCheck;

export const CASE_CHECKS: readonly CaseCheck[] = [FIRST_CONTACT, CASE_LOOK_ALIKE];
