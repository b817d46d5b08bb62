import { useConnection } from '#renderer/state/connection.ts';
import { flagsOf } from '#shared/model/flags.ts';

/** Whether a feature flag is on for the current connection (specification section 5). */
export function useFlag(name: string): boolean {
  const { connection } = useConnection();
  return flagsOf(connection?.flags ?? {})[name] ?? false;
}
