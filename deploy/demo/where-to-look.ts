import type { Scene } from './scene.ts'

const consolePaths = '/console/api/platform/alerts and …/audit-log'

/** The last words of the demo: what there is to see now, and where. */
export function whereToLook({ stack, workspace, tell }: Scene, runId: string, traceId: string | undefined): void {
  tell(`API            ${stack.base_url}/api/v1, documentation ${stack.base_url}/docs`)
  tell(`inbox          ${stack.provider_url} (every message that arrived)`)
  tell(`one message's trace, from the HTTP request to the provider: ${traceId ?? 'none'}`)
  if (stack.traces_url && traceId) tell(`               ${stack.traces_url}/traces/${traceId}`)
  tell(
    `report         ${stack.base_url}${workspace}/campaign-runs/${runId}/report (Authorization: Bearer wallet-session-dev-owner)`,
  )
  tell(`console        ${stack.base_url}${consolePaths} (a browser session: README.md has it for curl)`)
  tell(`consent proof  consent-proof.json beside stack.json: change it yourself, and make verify-consent FILE=… again`)
  tell(`the stack stays up; "make down" stops it and keeps its data`)
}
