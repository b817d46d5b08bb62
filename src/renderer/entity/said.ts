import { defangText } from '#shared/model/defang.ts';
import { visibleText } from '#shared/model/format.ts';

/** What tools and events say may hold live addresses of the mail: those are defanged, the rest stays as it is. */
export const said = (text: string): string =>
  visibleText(/(?:https?|ftp):\/\//i.test(text) ? defangText(text) : text);
