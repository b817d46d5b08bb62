import { Edit } from '@blueprintjs/icons';
import { type JSX, useRef, useState } from 'react';
import { useAct } from '#renderer/bridge/use-call.ts';
import { ConfirmDialog, useOpenDialog } from '#renderer/ui/dialog.tsx';
import { AreaField, SelectField, TextField } from '#renderer/ui/form/field.tsx';
import type { NewQuery } from '#shared/model/entities.ts';
import { SEVERITIES, SUB_TYPES } from '#shared/model/enums.ts';
import { parseSeverity, SEVERITY_LABELS, severityToServer } from '#shared/model/severity.ts';
import { kindLabel, NAME_NEEDED, SAVED_BEFORE_EDIT } from './labels.ts';
import type { SaveProblem } from './save-problems.ts';

type Details = Pick<NewQuery, 'name' | 'description' | 'severity' | 'subType'>;

const KINDS = [
  { value: '', label: 'Query' },
  ...SUB_TYPES.map((value) => ({ value, label: kindLabel(value) })),
];
const LEVELS = [...SEVERITIES]
  .sort((a, b) => b - a)
  .map((level) => ({ value: severityToServer(level), label: `${level} ${SEVERITY_LABELS[level]}` }));

/** An unknown value stays selectable. */
const withOwn = (choices: { value: string; label: string }[], current: string) =>
  choices.some(({ value }) => value === current)
    ? choices
    : [...choices, { value: current, label: current || 'Not set' }];

interface DetailsDialogProps {
  query: Details;
  title: string;
  confirm: string;
  onSave: (details: Details) => Promise<SaveProblem | null>;
  onClose: () => void;
}

function useDetails({ query, onSave, onClose }: DetailsDialogProps) {
  const level = parseSeverity(query.severity);
  const [name, setName] = useState(query.name);
  const [description, setDescription] = useState(query.description ?? '');
  const [severity, setSeverity] = useState(level ? severityToServer(level) : String(query.severity ?? ''));
  const [kind, setKind] = useState(query.subType ?? '');
  const [problem, setProblem] = useState<SaveProblem | null>(null);
  const problemAt = (field: string) => (problem?.field === field ? problem.message : null);
  const elsewhere = problem && !['name', 'description', 'severity', 'subType'].includes(problem.field);
  const [note, setNote] = useState<string | null>(null);
  const { close } = useOpenDialog(onClose);
  const typed = JSON.stringify([name, description, severity, kind]);
  const now = useRef(typed);
  now.current = typed;
  const { run, pending } = useAct(async (details: Details) => {
    const refused = await onSave(details);
    setProblem(refused);
    if (refused) return;
    if (now.current === typed) close();
    else setNote(SAVED_BEFORE_EDIT);
  });
  const save = () => {
    if (pending) return;
    setNote(null);
    const trimmed = name.trim();
    if (trimmed === '') {
      setProblem({ field: 'name', message: NAME_NEEDED });
      return;
    }
    void run({
      name: trimmed,
      description: description.trim() || null,
      severity: severity || null,
      subType: kind || null,
    });
  };
  return {
    name,
    setName,
    description,
    setDescription,
    severity,
    setSeverity,
    kind,
    setKind,
    at: problemAt,
    elsewhere: elsewhere ? problem.message : null,
    note,
    busy: pending,
    save,
  };
}

/** Name, description, severity and kind of a query; `onSave` answers what was refused, or null. */
export function DetailsDialog(props: DetailsDialogProps): JSX.Element {
  const { onClose } = props;
  const { name, description, severity, kind, at, elsewhere, note, busy, save, ...form } = useDetails(props);
  return (
    <ConfirmDialog
      size="narrow"
      title={props.title}
      icon={<Edit size={14} />}
      onClose={onClose}
      onConfirm={save}
      footNote={note === null ? null : <span role="status">{note}</span>}
      confirm={{ text: props.confirm, loading: busy }}
    >
      <TextField
        label="Name"
        problem={at('name')}
        value={name}
        maxLength={200}
        aria-invalid={at('name') !== null}
        onValueChange={form.setName}
      />
      <AreaField
        label="Description"
        problem={at('description')}
        rows={3}
        maxLength={2000}
        value={description}
        onText={form.setDescription}
      />
      <SelectField
        label="Severity"
        problem={at('severity')}
        fill
        value={severity}
        options={withOwn(LEVELS, severity)}
        onChange={form.setSeverity}
      />
      <SelectField
        label="Kind"
        problem={at('subType')}
        note={kind === 'template' ? 'Opening a template creates a new query.' : undefined}
        fill
        value={kind}
        options={withOwn(KINDS, kind)}
        onChange={form.setKind}
      />
      {elsewhere ? (
        <small className="pp-danger" role="alert">
          {elsewhere}
        </small>
      ) : null}
    </ConfirmDialog>
  );
}
