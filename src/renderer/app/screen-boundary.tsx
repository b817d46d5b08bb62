import { Button } from '@blueprintjs/core';
import { Component, type ReactNode } from 'react';
import { ErrorState } from '../ui/error-bar.tsx';

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** Keeps the failure of one screen to its tab. */
export class ScreenBoundary extends Component<Props, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="pp-screen-failed">
        <ErrorState
          title={`${this.props.title} stopped working`}
          error={{ code: 'internal', message: error.message, retryable: true }}
          notKnown="Nothing you saved is lost; the other tabs go on."
          onRetry={() => this.setState({ error: null })}
        />
        <Button text="Close this tab" variant="minimal" onClick={this.props.onClose} />
      </div>
    );
  }
}
