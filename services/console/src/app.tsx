import { lazy, Suspense } from 'react'
import { Redirect, Route, Router, Switch } from 'wouter'
import { Boundary } from './frame/boundary.tsx'
import { Frame } from './frame/frame.tsx'
import { NoWorkspace } from './frame/no-workspace.tsx'
import { lastWorkspace } from './frame/last-workspace.ts'
import { SignIn } from './frame/sign-in.tsx'
import { ErrorNotice } from './parts/error-notice.tsx'
import { Empty, WholeLoading } from './parts/page.tsx'
import { useMe } from './session/use-me.ts'
import { WorkspaceProvider } from './session/workspace.tsx'

const workspacePages = {
  '/': lazy(() => import('./pages/home.tsx')),
}

const platformPages = {
  '/platform/gates': lazy(() => import('./pages/gates.tsx')),
  '/platform/alerts': lazy(() => import('./pages/alerts.tsx')),
}

const NothingHere = () => <Empty title="There is no page at this address">Choose one in the navigation.</Empty>

/** Every page of the console, behind the session. */
export function App() {
  const me = useMe()
  if (me.data === undefined)
    return me.error ? <ErrorNotice error={me.error} onRetry={() => void me.refetch()} /> : <WholeLoading />
  if (me.data === null) return <SignIn />
  const user = me.data
  const home = lastWorkspace(user.workspaces)
  return (
    <Router base="/console">
      <Frame me={user}>
        <Boundary>
          <Suspense fallback={<WholeLoading />}>
            <Switch>
              <Route path="/">{home ? <Redirect to={`/w/${home}`} replace /> : <NoWorkspace me={user} />}</Route>
              {Object.entries(platformPages).map(([path, Content]) => (
                <Route key={path} path={path}>
                  <Content />
                </Route>
              ))}
              <Route path="/w/:organization/:workspace" nest>
                {({ organization, workspace }) => (
                  <WorkspaceProvider
                    key={`${organization}/${workspace}`}
                    name={`${organization}/${workspace}`}
                    me={user}
                  >
                    <Switch>
                      {Object.entries(workspacePages).map(([path, Content]) => (
                        <Route key={path} path={path}>
                          <Content />
                        </Route>
                      ))}
                      <Route>
                        <NothingHere />
                      </Route>
                    </Switch>
                  </WorkspaceProvider>
                )}
              </Route>
              <Route>
                <NothingHere />
              </Route>
            </Switch>
          </Suspense>
        </Boundary>
      </Frame>
    </Router>
  )
}
