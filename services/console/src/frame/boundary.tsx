import { Component, type ReactNode } from 'react'
import { PartMissing } from '../parts/lazy-part.ts'
import { ErrorNotice } from '../parts/error-notice.tsx'

interface Props {
  path: string
  children: ReactNode
}

interface State {
  path: string
  error: unknown
}

/**
 * Keeps the frame and the other pages usable when a page fails, or when its program cannot be loaded. A missing program is loaded
 * when the network is back.
 */
export class Boundary extends Component<Props, State> {
  override state: State = { path: this.props.path, error: null }

  static getDerivedStateFromProps({ path }: Props, before: State): State | null {
    return path === before.path ? null : { path, error: null }
  }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error }
  }

  private readonly loadMissing = () => {
    if (this.state.error instanceof PartMissing) location.reload()
  }

  override componentDidMount(): void {
    window.addEventListener('online', this.loadMissing)
  }

  override componentWillUnmount(): void {
    window.removeEventListener('online', this.loadMissing)
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children
    return <ErrorNotice error={this.state.error} onRetry={() => location.reload()} />
  }
}
