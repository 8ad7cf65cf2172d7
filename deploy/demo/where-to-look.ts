import type { Scene } from './scene.ts'

const consolePaths = '/console/api/platform/alerts and …/audit-log'

/** Prints the addresses of the things that a user can look at after the demo. */
export function whereToLook({ stack, workspace, print }: Scene, runId: string, traceId: string | undefined): void {
  print(`API            ${stack.base_url}/api/v1, documentation ${stack.base_url}/docs`)
  print(`inbox          ${stack.provider_url} (every message that arrived)`)
  print(`one message's trace, from the HTTP request to the provider: ${traceId ?? 'none'}`)
  if (stack.traces_url && traceId) print(`               ${stack.traces_url}/traces/${traceId}`)
  print(
    `report         ${stack.base_url}${workspace}/campaign-runs/${runId}/report (Authorization: Bearer wallet-session-dev-owner)`,
  )
  print(`console        ${stack.base_url}${consolePaths} (a browser session: README.md has it for curl)`)
  print(`consent proof  consent-proof.json beside stack.json: change it, then run make verify-consent FILE=… again`)
  print(`command line   export LETTERGATE_URL=${stack.base_url} LETTERGATE_WORKSPACE=acme/newsletter`)
  print(`               export LETTERGATE_TOKEN=wallet-session-dev-owner; npx lettergate doctor`)
  print(`               npx lettergate campaign report ${runId}; npx lettergate --help`)
  print(`agents         npx lettergate-mcp is an MCP server that only reads (docs/how-to/agents.md)`)
  print(`the stack stays up; "make down" stops it and keeps its data`)
}
