/** Workspace values by key, each validated by the schema of its kind when read and written. */
import { ParapetError } from '#shared/bridge/errors.ts';
import { WORKSPACE_VALUES, type WorkspaceKind } from '#shared/bridge/workspace.ts';
import { hasKey } from '#shared/model/narrow.ts';
import { readShape } from '#shared/model/schema-check.ts';
import type { Context } from '../kernel/context.ts';
import type { HandlersIn } from '../kernel/handlers.ts';
import { withoutSecrets } from '../kernel/redact.ts';
import { putValue, storedJson } from '../store/kv.ts';

const VALUE_MAX = 2 * 1024 * 1024;

const kindOf = (key: string): WorkspaceKind | null => {
  const kind = key.split(':', 1)[0] ?? '';
  return hasKey(WORKSPACE_VALUES, kind) ? kind : null;
};

function schemaOf(key: string) {
  const kind = kindOf(key);
  if (kind === null)
    throw new ParapetError('invalid-input', 'The workspace has no such value.', { data: { field: 'key' } });
  return WORKSPACE_VALUES[kind];
}

export function createWorkspaceHandlers(
  ctx: Pick<Context, 'workspace' | 'ports' | 'publish'>,
): HandlersIn<'workspace'> {
  /** A value of an older or newer shape is ignored: the renderer has defaults. */
  const readable = (key: string, text: string): { key: string; value: unknown } | null => {
    const parsed = kindOf(key) === null ? null : schemaOf(key).safeParse(storedJson(text));
    return parsed?.success ? { key, value: parsed.data } : null;
  };

  return {
    async 'workspace.get'({ key }) {
      schemaOf(key);
      const row = await ctx.workspace.get<{ value: string }>('SELECT value FROM kv WHERE key = ?', [key]);
      return { value: row === undefined ? null : (readable(key, row.value)?.value ?? null) };
    },
    async 'workspace.put'({ key, value }) {
      const schema = schemaOf(key);
      if (value === null || value === undefined) {
        await ctx.workspace.write([{ sql: 'DELETE FROM kv WHERE key = ?', params: [key] }]);
        ctx.publish({ type: 'workspace', key });
        return {};
      }
      const checked = readShape(schema, value);
      if (!checked.ok)
        throw new ParapetError('invalid-input', `${key}: ${checked.message}.`, {
          data: { field: ['value', ...checked.path].join('.') },
        });
      const text = JSON.stringify(withoutSecrets(checked.value));
      if (text.length > VALUE_MAX)
        throw new ParapetError('too-large', 'That is larger than the limit for one value of the workspace.', {
          data: { field: 'value' },
        });
      await ctx.workspace.write([putValue(key, text, ctx.ports.now())]);
      ctx.publish({ type: 'workspace', key });
      return {};
    },
    async 'workspace.list'({ prefix }) {
      const rows = await ctx.workspace.all<{ key: string; value: string }>(
        "SELECT key, value FROM kv WHERE substr(key, 1, length(?1)) = ?1 AND key NOT LIKE 'core:%' ORDER BY key",
        { 1: prefix },
      );
      return { values: rows.map(({ key, value }) => readable(key, value)).filter((value) => value !== null) };
    },
  };
}
