import type { Failure, Preflight, Result, Workspace } from '@lettergate/client'
import { versionOfApi } from '@lettergate/client'
import type { Command } from 'commander'
import { adviceOn, exits, UsageError } from '../exit.ts'
import type { Session } from '../session.ts'

interface Finding {
  check: string
  status: 'ok' | 'warn' | 'fail'
  detail: string
  what_to_do?: string
}

const marks = { ok: 'ok  ', warn: 'warn', fail: 'FAIL' }

/** A failure as a finding, with what to do. */
function failed(check: string, failure: Failure): Finding {
  const { status, reason, message, correlationId } = failure
  const advice = adviceOn(failure)
  return {
    check,
    status: 'fail',
    detail: `${message} (${status === 0 ? 'no answer' : status} ${reason}; reference ${correlationId})`,
    ...(advice === undefined || status === 0 ? {} : { what_to_do: advice }),
  }
}

const ok = (check: string, detail: string): Finding => ({ check, status: 'ok', detail })

async function checkService(session: Session): Promise<Finding[]> {
  const api = session.api()
  const health = await api.getHealth()
  if (!health.ok) {
    const finding = failed('service', health)
    return [
      { ...finding, what_to_do: 'Check --url, then whether the deployment runs (`make status` on the local stack).' },
    ]
  }
  const ready = await api.getReadiness()
  const document = await api.getOpenapiDocument()
  const found = document.ok ? (document.data.info['version'] as string) : undefined
  return [
    ok('service', `${session.baseUrl()} is ${health.data.service}, ${health.data.status}`),
    ready.ok
      ? ok('readiness', `its database is ${ready.data.database}`)
      : {
          ...failed('readiness', ready),
          what_to_do: 'A part of the deployment does not answer. Read the logs of the gateway.',
        },
    found === versionOfApi
      ? ok('version', `both speak version ${versionOfApi} of the API`)
      : {
          check: 'version',
          status: 'warn',
          detail: `the deployment speaks version ${found ?? 'unknown'}, this command line ${versionOfApi}`,
          what_to_do: 'Use the command line of the same release as the deployment.',
        },
    health.data.production_sending_enabled
      ? ok('production gate', 'open: campaigns can be sent')
      : {
          check: 'production gate',
          status: 'warn',
          detail: 'closed: no campaign is sent',
          what_to_do:
            'Closed is the default. A platform owner opens it at the console, after the environment allows it.',
        },
  ]
}

async function checkCaller(session: Session): Promise<Finding[]> {
  if (session.token() === undefined) {
    const what_to_do = 'Sign in with `lettergate sign-in`, or set LETTERGATE_TOKEN.'
    return [{ check: 'token', status: 'fail', detail: 'there is none', what_to_do }]
  }
  const me = await session.api().getMe()
  return [
    me.ok ? ok('token', `valid, of ${me.data.user.username ?? me.data.user.wallet_user_id}`) : failed('token', me),
  ]
}

function workspaceFindings(name: string, workspace: Workspace): Finding[] {
  const { role, capabilities, is_archived, production_sending_enabled } = workspace
  if (is_archived)
    return [{ check: 'workspace', status: 'warn', detail: `${name} is archived: nothing can be sent from it` }]
  return [
    ok('workspace', `${name}, your role is ${role} with ${capabilities.length} capabilities`),
    production_sending_enabled
      ? ok('workspace sending', 'on')
      : {
          check: 'workspace sending',
          status: 'warn',
          detail: 'off: campaigns of this workspace wait',
          what_to_do: 'An owner activates it, after a sender is ready (docs/how-to/send-a-campaign.md).',
        },
  ]
}

function preflightFindings(latest: Result<{ preflight: Preflight | null }>): Finding[] {
  if (!latest.ok) return [failed('preflight', latest)]
  const { preflight } = latest.data
  if (preflight === null) {
    return [{ check: 'preflight', status: 'warn', detail: 'never run', what_to_do: 'Run `lettergate preflight`.' }]
  }
  const blocking = preflight.checks.filter(({ status }) => status === 'block')
  if (blocking.length === 0) return [ok('preflight', `nothing blocked on ${preflight.completed_at}`)]
  return blocking.map(({ label, detail, remediation }) => ({
    check: 'preflight',
    status: 'warn',
    detail: `${label}: ${detail}`,
    ...(remediation === undefined ? {} : { what_to_do: remediation }),
  }))
}

async function checkWorkspace(session: Session): Promise<Finding[]> {
  let name: string
  try {
    name = session.workspaceName()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return [{ check: 'workspace', status: 'warn', detail: 'none is chosen', what_to_do: error.message }]
  }
  const found = await session.workspace().getWorkspace()
  if (!found.ok) return [failed('workspace', found)]
  return [...workspaceFindings(name, found.data), ...preflightFindings(await session.workspace().getPreflight())]
}

/** `doctor`: checks a deployment from here, and says what to do. It reads only. */
export function addDoctor(program: Command, session: Session): void {
  program
    .command('doctor')
    .description('check the deployment, your token and your workspace, and say what to do; changes nothing')
    .addHelpText('after', '\nThe exit status is 0 without a failure, also with warnings, else 5.')
    .action(async () => {
      const findings = await checkService(session)
      if (findings[0]!.status === 'ok') findings.push(...(await checkCaller(session)))
      if (findings.every(({ status }) => status !== 'fail')) findings.push(...(await checkWorkspace(session)))
      if (findings.some(({ status }) => status === 'fail')) session.exit = exits.no
      session.show({ findings }, () =>
        findings
          .map(
            ({ check, status, detail, what_to_do }) =>
              `${marks[status]}  ${check}: ${detail}\n${what_to_do ? `      ${what_to_do}\n` : ''}`,
          )
          .join(''),
      )
    })
}
