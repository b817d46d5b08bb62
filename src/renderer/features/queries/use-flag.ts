import { useConnection } from '#renderer/state/connection.ts';

/** As resources/feature-flags.json has them; a connection's own settings go over them. */
const DEFAULTS: Readonly<Record<string, boolean>> = { custom_list_operators: true };

/** Whether a feature flag is on for the current connection (specification section 5). */
export function useFlag(name: string): boolean {
  const { connection } = useConnection();
  return connection?.flags[name] ?? DEFAULTS[name] ?? false;
}
