import { lazy, Suspense } from 'react'
import { Redirect, Route, Router, Switch } from 'wouter'
import { Boundary } from './frame/boundary.tsx'
import { Frame } from './frame/frame.tsx'
import { NoWorkspace } from './frame/no-workspace.tsx'
import { lastWorkspace } from './frame/last-workspace.ts'
import { SignIn } from './frame/sign-in.tsx'
import { ErrorNotice } from './parts/error-notice.tsx'
import { Page, WholeLoading } from './parts/page.tsx'
import { useMe } from './session/use-me.ts'
import { WorkspaceProvider } from './session/workspace.tsx'

const workspacePages = {
  '/': lazy(() => import('./pages/home/home.tsx')),
  '/contacts': lazy(() => import('./pages/contacts/contacts.tsx')),
  '/contacts/:id': lazy(() => import('./pages/contacts/contact.tsx')),
  '/suppressions': lazy(() => import('./pages/contacts/suppressions.tsx')),
  '/audiences': lazy(() => import('./pages/audiences/audiences.tsx')),
  '/audiences/:id': lazy(() => import('./pages/audiences/audience.tsx')),
  '/tags': lazy(() => import('./pages/audiences/tags.tsx')),
  '/campaigns': lazy(() => import('./pages/campaigns/campaigns.tsx')),
  '/campaigns/new': lazy(() => import('./pages/campaigns/draft-editor.tsx')),
  '/campaigns/:id': lazy(() => import('./pages/campaigns/campaign.tsx')),
  '/campaigns/:id/edit': lazy(() => import('./pages/campaigns/draft-editor.tsx')),
  '/runs': lazy(() => import('./pages/campaigns/runs.tsx')),
  '/runs/:id': lazy(() => import('./pages/campaigns/run.tsx')),
  '/templates': lazy(() => import('./pages/templates/templates.tsx')),
  '/templates/:id': lazy(() => import('./pages/templates/template.tsx')),
  '/templates/:id/new': lazy(() => import('./pages/templates/version-editor.tsx')),
  '/imports': lazy(() => import('./pages/imports/imports.tsx')),
  '/imports/:id': lazy(() => import('./pages/imports/import.tsx')),
  '/sending': lazy(() => import('./pages/sending/sending.tsx')),
  '/domains/:id': lazy(() => import('./pages/sending/domain.tsx')),
  '/testing': lazy(() => import('./pages/sending/testing.tsx')),
  '/provider-events': lazy(() => import('./pages/sending/provider-events.tsx')),
  '/webhook': lazy(() => import('./pages/webhook/webhook.tsx')),
  '/sources': lazy(() => import('./pages/sources/sources.tsx')),
  '/sources/:slug': lazy(() => import('./pages/sources/source.tsx')),
  '/team': lazy(() => import('./pages/team/team.tsx')),
  '/automations': lazy(() => import('./pages/automations/automations.tsx')),
  '/automations/:id': lazy(() => import('./pages/automations/automation.tsx')),
  '/automations/:id/edit': lazy(() => import('./pages/automations/graph-editor.tsx')),
  '/enrollments/:id': lazy(() => import('./pages/automations/enrollment.tsx')),
  '/erasures/:id': lazy(() => import('./pages/contacts/erasure.tsx')),
}

const otherPages = {
  '/profile': lazy(() => import('./pages/profile/profile.tsx')),
  '/platform/gates': lazy(() => import('./pages/platform/gates.tsx')),
  '/platform/alerts': lazy(() => import('./pages/platform/alerts.tsx')),
  '/platform/audit-log': lazy(() => import('./pages/platform/audit-log.tsx')),
  '/platform/suppressions': lazy(() => import('./pages/platform/platform-suppressions.tsx')),
  '/platform/dead-letters': lazy(() => import('./pages/platform/dead-letters.tsx')),
  '/runbooks': lazy(() => import('./pages/runbooks/runbook-list.tsx')),
  '/runbooks/:name': lazy(() => import('./pages/runbooks/runbook.tsx')),
}

const NothingHere = () => <Page title="There is no page at this address" about="Choose one in the navigation." />

/** Every page of the console, behind the session. */
export function App() {
  const me = useMe()
  if (me.data === undefined)
    return me.error ? <ErrorNotice error={me.error} onRetry={() => void me.refetch()} /> : <WholeLoading />
  if (me.data === null) return <SignIn />
  const user = me.data
  const home = lastWorkspace(user.workspaces)
  return (
    // Another user begins with new pages: an open dialog or a shown secret is of the one before.
    <Router base="/console" key={user.user.wallet_user_id}>
      <Frame me={user}>
        <Boundary>
          <Suspense fallback={<WholeLoading />}>
            <Switch>
              <Route path="/">{home ? <Redirect to={`/w/${home}`} replace /> : <NoWorkspace me={user} />}</Route>
              {Object.entries(otherPages).map(([path, Content]) => (
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
