import type { ComponentType, JSX } from 'react';
import type { FieldConfig, OperatorConfig } from '#shared/model/entities.ts';
import { exact } from '#shared/model/format.ts';
import type { Condition, ConditionValue } from '#shared/query/tree.ts';
import { useBuilder } from './builder-context.ts';
import { edgeOf } from './clock-dates.ts';
import { ListValue } from './list-value.tsx';
import {
  BooleanValue,
  BytesValue,
  ChoicesValue,
  ChoiceValue,
  DateValue,
  NumberValue,
  type OneValueProps,
  SpanValue,
  TextValue,
} from './value-inputs.tsx';
import { type EditorKind, editorKind } from './values-edit.ts';

const ONE: Readonly<Partial<Record<EditorKind, ComponentType<OneValueProps>>>> = {
  boolean: BooleanValue,
  choice: ChoiceValue,
  number: NumberValue,
  bytes: BytesValue,
  date: DateValue,
  text: TextValue,
};

export function ValueEditor(props: {
  condition: Condition;
  field: FieldConfig | undefined;
  operator: OperatorConfig | undefined;
  invalid: boolean;
  onChange: (values: ConditionValue[]) => void;
}): JSX.Element | null {
  const { condition, field, operator, invalid, onChange } = props;
  const { values } = condition;
  const { lists } = useBuilder().config;
  const kind = editorKind(field, operator);
  const label = `Value of ${field?.label ?? condition.field}`;
  const shared = { field, label, invalid };
  if (kind === 'none') return <span className="pp-qb-values" />;
  if (kind === 'span') return <SpanValue {...shared} values={values} onChange={onChange} />;
  if (kind === 'choices') return <ChoicesValue {...shared} values={values} onChange={onChange} />;
  if (kind === 'custom-list')
    return (
      <span className="pp-qb-values">
        <ChoiceValue
          {...shared}
          choices={(lists ?? []).map(({ id, label: name, count }) => ({
            value: id,
            label: count == null ? name : `${name} (${exact(count)})`,
          }))}
          value={values[0]}
          onChange={(value) => onChange([value])}
        />
      </span>
    );
  if (kind === 'list')
    return (
      <ListValue {...shared} values={values} words={operator?.analyzer === 'words'} onChange={onChange} />
    );
  const Editor = ONE[kind] ?? TextValue;
  const places = Array.from({ length: Math.max(1, operator?.arity ?? 1) }, (_, index) => ({
    id: `v${index}`,
    index,
  }));
  const change = (index: number, value: ConditionValue) => {
    const next = places.map((place) => (place.index === index ? value : (values[place.index] ?? '')));
    // A single empty value counts as missing, not as an empty text.
    onChange(next.every((part) => part === '') ? [] : next);
  };
  return (
    <span className="pp-qb-values">
      {places.map(({ id, index }) => (
        <span key={id} className="pp-qb-value">
          {index > 0 ? <span className="pp-t3">and</span> : null}
          <Editor
            {...shared}
            label={places.length > 1 ? `${label}, ${index + 1} of ${places.length}` : label}
            value={values[index]}
            pattern={operator?.regex === true}
            edge={edgeOf(condition.operator, index)}
            onChange={(value) => change(index, value)}
          />
        </span>
      ))}
    </span>
  );
}
