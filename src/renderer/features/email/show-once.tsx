import { Button } from '@blueprintjs/core';
import type { JSX } from 'react';
import { Dialog } from '#renderer/ui/dialog.tsx';
import { exact } from '#shared/model/format.ts';
import { contactedHosts } from './body-blocked.ts';

interface ShowOnceProps {
  isOpen: boolean;
  urls: readonly string[];
  pending: boolean;
  onClose: () => void;
  onConfirm: () => void;
}

const LISTED = 20;

/** What loading the pictures would contact, before it does. */
export function ShowOnce({ isOpen, urls, pending, onClose, onConfirm }: ShowOnceProps): JSX.Element {
  const hosts = contactedHosts(urls);
  const images = `${exact(urls.length)} ${urls.length === 1 ? 'image' : 'images'}`;
  const from = `${exact(hosts.length)} ${hosts.length === 1 ? 'host' : 'hosts'}`;
  return (
    <Dialog
      isOpen={isOpen}
      title="Show remote images once"
      size="narrow"
      onClose={onClose}
      onConfirm={onConfirm}
      actions={
        <>
          <Button text="Cancel" onClick={onClose} />
          <Button
            intent="primary"
            loading={pending}
            text={`Load ${images} from ${from}`}
            onClick={onConfirm}
          />
        </>
      }
    >
      <p>
        Parapet will contact these hosts from this machine, without cookies and without saying where the
        request comes from. Whoever runs them can learn that the email was opened, when, and from which
        network. Trackers stay blocked.
      </p>
      <ul className="em-hosts">
        {hosts.slice(0, LISTED).map(({ host, shown, images: count }) => (
          <li key={host}>
            <span className="pp-mono pp-wrap-anywhere">{shown}</span>
            <span className="pp-t3 en-nowrap">
              {exact(count)} {count === 1 ? 'image' : 'images'}
            </span>
          </li>
        ))}
      </ul>
      {hosts.length > LISTED ? <p className="pp-t3">and {exact(hosts.length - LISTED)} more hosts</p> : null}
    </Dialog>
  );
}
