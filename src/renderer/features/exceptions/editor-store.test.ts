import { expect, it } from 'vitest';
import { ParapetError, toBridgeError } from '#shared/bridge/errors.ts';
import {
  beginEditing,
  currentEditing,
  editForm,
  endSending,
  markEditing,
  settleEditing,
} from './editor-store.ts';
import { ANTI_PHISHING, emptyForm, typeChoices } from './form.ts';

const form = () => emptyForm(ANTI_PHISHING, typeChoices(ANTI_PHISHING, {}, null));
const refusal = { error: toBridgeError(new ParapetError('bad-request', 'no')), field: null, message: 'no' };

it('a late response closes or rejects only the form that was sent', () => {
  const sent = form();
  beginEditing('c', sent);
  expect(settleEditing('c', sent, refusal)).toBe(true);
  expect(currentEditing('c')).toMatchObject({ refusal: { message: 'no' } });
  // Edited while saving: the input stays, and the refusal does not apply to it.
  const edited = { ...sent, value: 'typed.meanwhile.example' };
  editForm('c', edited);
  expect(settleEditing('c', sent, null)).toBe(false);
  expect(settleEditing('c', sent, refusal)).toBe(false);
  expect(currentEditing('c')).toMatchObject({ form: edited, refusal: null });
  expect(settleEditing('c', edited, null)).toBe(true);
  expect(currentEditing('c')).toBeNull();
});

it('a late response lets its own exception be saved again, also if edited, but no other', () => {
  const [first, second] = [form(), form()];
  beginEditing('c', first);
  markEditing('c', { isSending: true });
  editForm('c', { ...first, value: 'typed.meanwhile.example' });
  endSending('c', first);
  expect(currentEditing('c')).toMatchObject({ isSending: false });
  beginEditing('c', second);
  markEditing('c', { isSending: true });
  endSending('c', first);
  expect(currentEditing('c')).toMatchObject({ isSending: true });
});
