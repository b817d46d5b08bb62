import type { JSX } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { exceptionField } from '#shared/exceptions/types.ts';
import { defang } from '#shared/model/defang.ts';
import { visibleText } from '#shared/model/format.ts';
import { withChoice } from './form.ts';
import type { Editor } from './use-editor.ts';

const SHOWN = 12;

/** Values of the entity that an entry can be made of, as the service lists them; the form works without them. */
export function EntityOptions({ editor, product }: { editor: Editor; product: string }): JSX.Element | null {
  const { form, choices, change } = editor;
  const { from } = form;
  const request =
    from === null || product === '' ? null : { params: { product, type: from.type, id: from.entityId } };
  const allow = useRead('exceptions.options', form.list === 'allow' ? request : null);
  const block = useRead('exceptions.blacklist-options', form.list === 'block' ? request : null);
  const { data, error, loading, refresh } = form.list === 'allow' ? allow : block;
  if (from === null) return null;
  if (data === undefined)
    return error && !loading ? (
      <p className="pp-exc-hint" role="status">
        Which other values this {from.type} has is not known: {error.message}{' '}
        <button type="button" className="pp-link" onClick={refresh}>
          Retry
        </button>
      </p>
    ) : null;
  const offered = data.options.flatMap(({ field, label, value }) => {
    const choice = choices.find((one) => one.list === form.list && one.field === field);
    return choice && typeof value === 'string' && value !== '' ? [{ choice, label, value }] : [];
  });
  if (offered.length === 0) return null;
  return (
    <fieldset className="pp-exc-options">
      <legend>Values of this {from.type}</legend>
      {offered.slice(0, SHOWN).map(({ choice, label, value }) => {
        const text = exceptionField(choice.field)?.kind === 'url' ? defang(value) : visibleText(value);
        return (
          <button
            key={`${choice.key} ${value}`}
            type="button"
            aria-pressed={choice.field === form.field && value === form.value}
            title={`${label}: ${text}`}
            onClick={() => change({ ...withChoice(form, choice), value })}
          >
            <span className="pp-t3">{label}</span> <span className="pp-mono">{text}</span>
          </button>
        );
      })}
    </fieldset>
  );
}
