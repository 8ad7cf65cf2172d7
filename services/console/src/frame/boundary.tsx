import { Component, type ReactNode } from 'react'
import { ErrorNotice } from '../parts/error-notice.tsx'

interface Props {
  path: string
  children: ReactNode
}

interface State {
  path: string
  error: unknown
}

/** Keeps the frame and the other pages usable when a page fails, or when its program cannot be loaded. */
export class Boundary extends Component<Props, State> {
  override state: State = { path: this.props.path, error: null }

  static getDerivedStateFromProps({ path }: Props, before: State): State | null {
    return path === before.path ? null : { path, error: null }
  }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error }
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children
    return <ErrorNotice error={this.state.error} onRetry={() => location.reload()} />
  }
}
