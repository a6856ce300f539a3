import { Component, type ReactNode, Suspense } from 'react';
import { Button } from './controls.tsx';

interface BoundaryProps {
  readonly children: ReactNode;
  readonly fallback: ReactNode;
  /** Replaces a part that failed; by default a screen with a button that loads the page again. */
  readonly failed?: ReactNode;
}
type BoundaryState = Readonly<{ failed: boolean }>;

/** Shows a way out if a part fails. A class, because React has no other way to catch errors. */
export class LazyBoundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { failed: false };

  static getDerivedStateFromError(): BoundaryState {
    return { failed: true };
  }

  override componentDidCatch(error: unknown): void {
    console.error('a part of the page failed', error);
  }

  override render(): ReactNode {
    if (!this.state.failed) return <Suspense fallback={this.props.fallback}>{this.props.children}</Suspense>;
    if (this.props.failed !== undefined) return this.props.failed;
    return (
      <div className="screen" role="alert">
        <h1>This part of the page could not be shown</h1>
        <p>The village may have been upgraded since this page was opened, or the network is gone.</p>
        <Button look="strong" word="Load the page again" onClick={() => window.location.reload()} />
      </div>
    );
  }
}
