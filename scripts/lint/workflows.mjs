// Checks workflows with GitHub's own parser, and that they pin actions by commit and have no broad permissions.
import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { root } from '../node.mjs';

// The parser was written for bundlers: it imports JSON without the import attribute that Node requires.
registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
});
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import(
  '@actions/workflow-parser'
);

const FOLDER = '.github/workflows';

/** One line for each problem in a workflow. */
export async function brokenWorkflow(name, content) {
  const parsed = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  const broken = parsed.context.errors.getErrors().map((error) => `${name}: ${error.message}`);
  if (parsed.value === undefined) return broken.length > 0 ? broken : [`${name}: holds no workflow`];
  await convertWorkflowTemplate(parsed.context, parsed.value);
  broken.push(...parsed.context.errors.getErrors().map((error) => `${name}: ${error.message}`));
  for (const [, action] of content.matchAll(/\buses:\s*(\S+)/g))
    if (!/@[0-9a-f]{40}$/.test(action)) broken.push(`${name}: ${action} is not pinned to a commit`);
  if (!/^permissions:\n {2}contents: read$/m.test(content))
    broken.push(`${name}: does not begin with read-only permissions`);
  return [...new Set(broken)];
}

if (import.meta.main) {
  for (const name of readdirSync(path.join(root, FOLDER)))
    for (const line of await brokenWorkflow(name, readFileSync(path.join(root, FOLDER, name), 'utf8'))) {
      console.error(`workflows: ${line}`);
      process.exitCode = 1;
    }
}
