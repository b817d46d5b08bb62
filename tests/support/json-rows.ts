import type { Row } from '#shared/model/entities.ts';

/** The rows of an exported JSON or NDJSON file; every line of NDJSON ends with a line feed. */
export const jsonRowsOf = (text: string, format: 'json' | 'ndjson'): Row[] =>
  format === 'json'
    ? JSON.parse(text)
    : text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
