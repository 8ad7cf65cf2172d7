import { Component, type ReactNode } from 'react'
import { ErrorNotice } from '../parts/error-notice.tsx'

/** Keeps the frame usable when a page fails, or when its program cannot be loaded after a new release. */
export class Boundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null }

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error }
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children
    return <ErrorNotice error={this.state.error} onRetry={() => location.reload()} />
  }
}
