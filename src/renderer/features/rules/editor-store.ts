/** The rule being edited, one per window. It survives closing the tab and a refusal. */
import { create } from 'zustand';
import type { BridgeError } from '#shared/bridge/error-shape.ts';
import type { RuleHead } from '#shared/rules/rule.ts';
import type { RuleForm } from './rule-form.ts';

export interface Editing {
  /** The rule that is changed, as it was then, or null for a new one. */
  rule: RuleHead | null;
  form: RuleForm;
  /** The initial form; differences from it are unsaved. */
  began: RuleForm;
  /** False if the text is too long to be edited here. */
  isTextWhole: boolean;
  /** Saving was attempted, so empty fields are marked too. */
  attempted: boolean;
  /** Why this form was not saved. */
  refusal: BridgeError | null;
  isSaving: boolean;
}

const useStore = create<{ editing: Editing | null }>(() => ({ editing: null }));

export const useEditing = (): Editing | null => useStore(({ editing }) => editing);
export const currentEditing = (): Editing | null => useStore.getState().editing;

export const beginEditing = (form: RuleForm, rule: RuleHead | null = null, isTextWhole = true): void =>
  useStore.setState({
    editing: { rule, form, began: form, isTextWhole, attempted: false, refusal: null, isSaving: false },
  });

export const endEditing = (): void => useStore.setState({ editing: null });

export function markEditing(change: Partial<Pick<Editing, 'attempted' | 'refusal' | 'isSaving'>>): void {
  const editing = currentEditing();
  if (editing) useStore.setState({ editing: { ...editing, ...change } });
}

/** Any change clears the refusal. */
export function editForm(change: Partial<RuleForm>): void {
  const editing = currentEditing();
  if (editing)
    useStore.setState({ editing: { ...editing, form: { ...editing.form, ...change }, refusal: null } });
}

export const isUnsaved = ({ form, began }: Editing): boolean =>
  JSON.stringify(form) !== JSON.stringify(began);

/** The form was saved as this rule. What was edited meanwhile stays open, as changes of it. */
export function settleEditing(saved: RuleForm, rule: RuleHead): void {
  const editing = currentEditing();
  if (editing?.form === saved) endEditing();
  else if (editing) useStore.setState({ editing: { ...editing, rule, began: saved, isSaving: false } });
}
