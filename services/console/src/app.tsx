import type { IdentityResponse } from '@lettergate/client'
import { Suspense, useState } from 'react'
import { Redirect, Route, Router, Switch, useLocation } from 'wouter'
import { WithDialog } from './dialogs/dialog-host.tsx'
import { Boundary } from './frame/boundary.tsx'
import { Frame } from './frame/frame.tsx'
import { NoWorkspace } from './frame/no-workspace.tsx'
import { lastWorkspace } from './frame/last-workspace.ts'
import { OfPlatform } from './frame/of-platform.tsx'
import { SignIn } from './frame/sign-in.tsx'
import { FailedReads } from './parts/failed-reads.tsx'
import { lazyPart } from './parts/lazy-part.ts'
import { SeesPlatform } from './parts/link.tsx'
import { Page, WholeLoading } from './parts/page.tsx'
import { administersPlatform, useMe } from './session/use-me.ts'
import { WorkspaceProvider } from './session/workspace.tsx'

const workspacePages = {
  '/': lazyPart(() => import('./pages/home/home.tsx')),
  '/contacts': lazyPart(() => import('./pages/contacts/contacts.tsx')),
  '/contacts/:id': lazyPart(() => import('./pages/contacts/contact.tsx')),
  '/suppressions': lazyPart(() => import('./pages/contacts/suppressions.tsx')),
  '/audiences': lazyPart(() => import('./pages/audiences/audiences.tsx')),
  '/audiences/:id': lazyPart(() => import('./pages/audiences/audience.tsx')),
  '/tags': lazyPart(() => import('./pages/audiences/tags.tsx')),
  '/campaigns': lazyPart(() => import('./pages/campaigns/campaigns.tsx')),
  '/campaigns/new': lazyPart(() => import('./pages/campaigns/draft-editor.tsx')),
  '/campaigns/:id': lazyPart(() => import('./pages/campaigns/campaign.tsx')),
  '/campaigns/:id/edit': lazyPart(() => import('./pages/campaigns/draft-editor.tsx')),
  '/runs': lazyPart(() => import('./pages/campaigns/runs.tsx')),
  '/runs/:id': lazyPart(() => import('./pages/campaigns/run.tsx')),
  '/templates': lazyPart(() => import('./pages/templates/templates.tsx')),
  '/templates/:id': lazyPart(() => import('./pages/templates/template.tsx')),
  '/templates/:id/new': lazyPart(() => import('./pages/templates/version-editor.tsx')),
  '/imports': lazyPart(() => import('./pages/imports/imports.tsx')),
  '/imports/:id': lazyPart(() => import('./pages/imports/import.tsx')),
  '/sending': lazyPart(() => import('./pages/sending/sending.tsx')),
  '/domains/:id': lazyPart(() => import('./pages/sending/domain.tsx')),
  '/testing': lazyPart(() => import('./pages/sending/testing.tsx')),
  '/provider-events': lazyPart(() => import('./pages/sending/provider-events.tsx')),
  '/webhook': lazyPart(() => import('./pages/webhook/webhook.tsx')),
  '/sources': lazyPart(() => import('./pages/sources/sources.tsx')),
  '/sources/:slug': lazyPart(() => import('./pages/sources/source.tsx')),
  '/team': lazyPart(() => import('./pages/team/team.tsx')),
  '/automations': lazyPart(() => import('./pages/automations/automations.tsx')),
  '/automations/:id': lazyPart(() => import('./pages/automations/automation.tsx')),
  '/automations/:id/edit': lazyPart(() => import('./pages/automations/graph-editor.tsx')),
  '/enrollments/:id': lazyPart(() => import('./pages/automations/enrollment.tsx')),
  '/erasures/:id': lazyPart(() => import('./pages/contacts/erasure.tsx')),
}

const otherPages = {
  '/profile': lazyPart(() => import('./pages/profile/profile.tsx')),
  '/platform/gates': lazyPart(() => import('./pages/platform/gates.tsx')),
  '/platform/alerts': lazyPart(() => import('./pages/platform/alerts.tsx')),
  '/platform/audit-log': lazyPart(() => import('./pages/platform/audit-log.tsx')),
  '/platform/suppressions': lazyPart(() => import('./pages/platform/platform-suppressions.tsx')),
  '/platform/dead-letters': lazyPart(() => import('./pages/platform/dead-letters.tsx')),
  '/runbooks': lazyPart(() => import('./pages/runbooks/runbook-list.tsx')),
  '/runbooks/:name': lazyPart(() => import('./pages/runbooks/runbook.tsx')),
}

/** Which object a page is about. The page of another object begins anew: nothing that was typed or shown of one is on the other. */
const objectOf = (params: Readonly<Record<string, string | undefined>>) => Object.values(params).join('/')

const NothingHere = () => <Page title="There is no page at this address" about="Choose one in the navigation." />

/** Every page of the console, behind the session. */
export function App() {
  const me = useMe()
  const [user, setUser] = useState(me.data)
  if (me.data === undefined)
    return (
      <FailedReads of={[me]}>
        <WholeLoading />
      </FailedReads>
    )
  // A page stays behind the sign-in when its session ends: somebody may have typed in it.
  if (me.data && me.data !== user) setUser(me.data)
  if (!user) return <SignIn />
  const hasEnded = me.data === null
  return (
    <>
      {hasEnded && <SignIn hasPage />}
      <div className="page" inert={hasEnded}>
        <Pages user={user} />
      </div>
    </>
  )
}

function Pages({ user }: { user: IdentityResponse }) {
  const [path] = useLocation()
  const home = lastWorkspace(user.workspaces)
  return (
    // Another user begins with new pages: an open dialog or a shown secret is of the one before.
    <Router base="/console" key={user.user.wallet_user_id}>
      <SeesPlatform value={administersPlatform(user)}>
        <Frame me={user}>
          <Boundary path={path}>
            <Suspense fallback={<WholeLoading />}>
              <Switch>
                <Route path="/">{home ? <Redirect to={`/w/${home}`} replace /> : <NoWorkspace me={user} />}</Route>
                {Object.entries(otherPages).map(([path, Content]) => (
                  <Route key={path} path={path}>
                    {(params) => (
                      <OfPlatform me={user} path={path}>
                        <WithDialog key={objectOf(params)}>
                          <Content />
                        </WithDialog>
                      </OfPlatform>
                    )}
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
                            {(params) => (
                              <WithDialog key={objectOf(params)}>
                                <Content />
                              </WithDialog>
                            )}
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
      </SeesPlatform>
    </Router>
  )
}
