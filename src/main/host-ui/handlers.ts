/** Dialogs, window and clipboard: what the host does for the renderer. */
import type { Context } from '../kernel/context.ts';
import type { HandlersIn } from '../kernel/handlers.ts';

export function createDeskHandlers({
  ports,
  grants,
}: Pick<Context, 'ports' | 'grants'>): HandlersIn<'dialogs' | 'window' | 'clipboard'> {
  return {
    async 'dialogs.save'(options) {
      const chosen = await ports.dialogs.save(options);
      return chosen === null ? null : grants.issue(chosen);
    },
    async 'dialogs.open'(options) {
      const chosen = await ports.dialogs.open(options);
      return chosen === null ? null : grants.issue(chosen);
    },
    async 'window.control'({ action }) {
      ports.shell.control(action);
      return {};
    },
    'window.capture': async (page) => (await ports.capture?.(page)) ?? null,
    async 'clipboard.write'({ text }) {
      await ports.shell.writeClipboard(text);
      return {};
    },
  };
}
