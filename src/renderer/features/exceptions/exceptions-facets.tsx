import { type JSX, useState } from 'react';
import { useRead } from '#renderer/bridge/use-read.ts';
import { AppIcon } from '#renderer/ui/app-icon.tsx';
import { LinkButton } from '#renderer/ui/link-button.tsx';
import { allExceptionTypes, exceptionFields, exceptionTypes } from '#shared/exceptions/types.ts';
import { SECURITY_TOOLS } from '#shared/model/enums.ts';
import { exact, plural, visibleText } from '#shared/model/format.ts';
import { type Branding, canonicalTool, expandProduct, toolName } from '#shared/model/white-label.ts';
import type { Flags } from './form.ts';
import type { Exceptions } from './use-exceptions.ts';

function Choice(props: {
  label: string;
  /** Null if it is being counted, or a word if it is not known. */
  count?: number | string | null | undefined;
  icon?: JSX.Element;
  isChosen: boolean;
  onChoose: () => void;
}): JSX.Element {
  const { label, count, icon, isChosen, onChoose } = props;
  return (
    <button
      type="button"
      className={`pp-exc-choice${count === 0 ? ' pp-exc-none' : ''}`}
      aria-pressed={isChosen}
      title={label}
      onClick={onChoose}
    >
      {icon ? <span className="pp-stack-cell pp-exc-icon">{icon}</span> : null}
      <span className="pp-ellipsis pp-spacer">{label}</span>
      {count === undefined ? null : (
        <span className="pp-facet-count">{typeof count === 'number' ? exact(count) : (count ?? '…')}</span>
      )}
    </button>
  );
}

/** How many types and fields of a tool are hidden by feature flags. */
function hiddenOf(tool: string, flags: Flags): number {
  const { types, hidden } = exceptionTypes(tool, flags);
  const fields = new Set(types.flatMap((type) => type.fields));
  const offered = new Set(types.flatMap((type) => exceptionFields(type, flags).map(({ id }) => id)));
  return hidden + fields.size - offered.size;
}

export function ExceptionsFacets(props: {
  exceptions: Exceptions;
  branding: Branding;
  flags: Flags;
}): JSX.Element {
  const { exceptions, branding, flags } = props;
  const { search, setSearch, counts } = exceptions;
  const { product } = branding;
  const chosenTool = search.tool === null ? null : canonicalTool(search.tool, product);
  const served = useRead(
    'exceptions.combo-options',
    search.tool === null || product === '' ? null : { params: { product }, body: { sec_type: search.tool } },
  );
  const [all, setAll] = useState(false);
  const existingTools = SECURITY_TOOLS.map((tool) => expandProduct(tool, product));
  const others = (counts ?? [])
    .map(({ sec_type }) => sec_type)
    .filter((tool) => !existingTools.includes(tool));
  const { data, error, loading } = exceptions.first;
  const isFailed = !data && Boolean(error) && !loading;
  // A service that has answered without counts does not count.
  const unknown = data || isFailed ? undefined : null;
  const countOf = (tool: string): number | null | undefined =>
    counts === null ? unknown : (counts.find(({ sec_type }) => sec_type === tool)?.count ?? 0);
  const tools = [...existingTools, ...others].sort((a, b) => (countOf(b) ?? 0) - (countOf(a) ?? 0));
  const isIdle = (tool: string) => countOf(tool) === 0 && tool !== search.tool;
  const isShown = (tool: string) => all || !isIdle(tool);
  const idle = tools.filter(isIdle).length;
  const sum = counts === null ? unknown : counts.reduce((total, { count }) => total + count, 0);
  const types =
    chosenTool === null
      ? []
      : served.data
        ? served.data.types.map(({ id, label }) => ({
            id,
            label: allExceptionTypes(chosenTool).find((type) => type.id === id)?.label ?? label,
          }))
        : allExceptionTypes(chosenTool).map(({ id, label }) => ({ id, label }));
  const hidden = chosenTool === null ? 0 : hiddenOf(chosenTool, flags);
  const choose = (tool: string | null) =>
    setSearch({
      ...search,
      tool,
      type: search.type === 'allow' || search.type === 'block' ? search.type : null,
    });
  return (
    <div className="pp-filters pp-exc-filters">
      <h2 id="exc-tools">Tool</h2>
      <fieldset aria-labelledby="exc-tools" className="pp-exc-choices">
        <Choice
          label="All tools"
          count={isFailed ? 'Unknown' : sum}
          isChosen={chosenTool === null}
          onChoose={() => choose(null)}
        />
        {tools.filter(isShown).map((tool) => (
          <Choice
            key={tool}
            label={toolName(tool, branding).label}
            count={countOf(tool)}
            icon={<AppIcon app={{ name: tool, label: tool, is_saas: false }} product={product} />}
            isChosen={search.tool === tool}
            onChoose={() => choose(tool)}
          />
        ))}
        {idle > 0 ? (
          <LinkButton className="pp-exc-more" onClick={() => setAll((is) => !is)}>
            {all ? 'Show fewer' : `${plural(idle, 'tool')} without entries`}
          </LinkButton>
        ) : null}
      </fieldset>
      <h2 id="exc-types">List and type</h2>
      <fieldset aria-labelledby="exc-types" className="pp-exc-choices">
        {[
          { id: null, label: 'Allow and block' },
          { id: 'allow', label: 'Allow' },
          { id: 'block', label: 'Block' },
          ...types.filter(({ label }) => label !== 'Allow' && label !== 'Block'),
        ].map(({ id, label }) => (
          <Choice
            key={id ?? 'all'}
            label={visibleText(label)}
            isChosen={search.type === id}
            onChoose={() => setSearch({ ...search, type: id })}
          />
        ))}
      </fieldset>
      {hidden > 0 ? (
        <p className="pp-exc-note">
          {plural(hidden, 'rule type is', 'rule types are')} hidden by the connection’s feature flags.
        </p>
      ) : null}
    </div>
  );
}
