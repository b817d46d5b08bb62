/** Checks that need the other mails of the evidence; they run once all of it is imported. */
import type { CheckTool } from '../model/enums.ts';

export const FIRST_CONTACT = {
  id: 'sender.first-contact',
  tool: 'sender',
  label: 'First contact',
} as const satisfies { id: string; tool: CheckTool; label: string };
