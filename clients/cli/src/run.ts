import { InputError } from '@lettergate/client'
import { Command, CommanderError } from 'commander'
import { addAudiences } from './commands/audiences.ts'
import { addCampaign } from './commands/campaign.ts'
import { addCompletion } from './commands/completion.ts'
import { addContacts } from './commands/contacts.ts'
import { addDoctor } from './commands/doctor.ts'
import { addDomain } from './commands/domain.ts'
import { addEvents } from './commands/events.ts'
import { addImport } from './commands/import.ts'
import { addPreflight } from './commands/preflight.ts'
import { addSignIn } from './commands/sign-in.ts'
import { addSources } from './commands/sources.ts'
import type { Environment } from './config.ts'
import { adviceOn, exitOf, exits, RefusedError, UsageError, type Exit } from './exit.ts'
import { printable, printableJson } from './printable.ts'
import { openSession, type GlobalOptions, type Session } from './session.ts'
import type { Terminal } from './terminal.ts'

const about = `
Start here:
  lettergate sign-in --url https://mail.example.org --workspace acme/newsletter
  lettergate doctor                                  is everything there to send?
  lettergate contacts eligibility ada@example.org 0199a3c4-f0a4-7b0f-9a89-f9e986cfadc3

The token comes from LETTERGATE_TOKEN, or from the file that sign-in writes for you alone. LETTERGATE_URL and
LETTERGATE_WORKSPACE stand for --url and --workspace. Options of a command are after it: lettergate help campaign.

Exit status: 0 done, 1 refused, 2 wrong command or missing confirmation, 3 not signed in, 4 no answer, try again later,
5 the answer is no (not eligible, blocked, failed, or a problem that doctor found).`

/** Runs one command and returns its exit status. Prints results to out, and everything else to err. */
export async function run(
  argv: readonly string[],
  { environment, terminal }: { environment: Environment; terminal: Terminal },
): Promise<Exit> {
  const program = new Command('lettergate')
    .description('Contacts, consent and campaigns of a Lettergate deployment.')
    .version('0.1.0')
    .option('--url <url>', 'the deployment (LETTERGATE_URL; http://127.0.0.1:8080 unless you signed in elsewhere)')
    .option('-w, --workspace <organization/workspace>', 'the workspace (LETTERGATE_WORKSPACE)')
    .option('--json', 'print the answer of the API as JSON, and failures as JSON on standard error')
    .addHelpText('after', about)
    .showHelpAfterError('(add --help for what this command takes)')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
  const session = openSession(environment, terminal, () => program.opts<GlobalOptions>())
  for (const add of [addSignIn, addDoctor, addContacts, addAudiences, addSources, addImport, addCampaign])
    add(program, session)
  for (const add of [addDomain, addPreflight, addEvents, addCompletion]) add(program, session)
  try {
    await program.parseAsync(argv, { from: 'user' })
    return session.exit
  } catch (error) {
    return explain(error, session)
  }
}

function explain(error: unknown, session: Session): Exit {
  const { terminal } = session
  if (error instanceof CommanderError) return error.exitCode === 0 ? exits.done : exits.usage
  if (error instanceof UsageError || error instanceof InputError) {
    terminal.err(`${error.message}\n`)
    return exits.usage
  }
  if (!(error instanceof RefusedError)) throw error
  const { failure } = error
  const { status, reason, message, correlationId } = failure
  if (session.isJson()) {
    terminal.err(`${printableJson({ error: { status, reason, message, correlation_id: correlationId } })}\n`)
    return exitOf(failure)
  }
  const advice = adviceOn(failure)
  terminal.err(`${printable(message)}\n${advice === undefined ? '' : `${advice}\n`}`)
  terminal.err(`(${status === 0 ? 'no answer' : status} ${reason}; reference for support: ${correlationId})\n`)
  return exitOf(failure)
}
