/** A durable consumer that a user may create and read. */
export interface Durable {
  stream: string
  name: string
  /** the only subject that it may filter by */
  filter: string
}

/** What a service does on the broker besides publishing its own events. Subjects are without namespace. */
export interface BrokerUser {
  /** other subjects that it publishes */
  publishes?: readonly string[]
  /**
   * Subjects that it subscribes to without a durable consumer. Any user with a consumer can make the server send a message
   * there with any headers and body, so the content of these messages must not be used.
   */
  subscribes?: readonly string[]
  consumes?: readonly Durable[]
}

export interface Permissions {
  publish: string[]
  subscribe: string[]
}

/** The prefix of a user's reply subjects. No other user may subscribe to them. */
export const inboxPrefix = (user: string): string => `_INBOX.${user}`

/**
 * The broker permissions of one service. The subject of a request to create a consumer contains the stream, the durable name
 * and the filter, and the server refuses a body that differs. So these subjects limit what the service can read. The
 * namespace `*` means every namespace, for the server that tests share.
 */
export function servicePermissions(service: string, user: BrokerUser, namespace = ''): Permissions {
  const { subject, stream } = inNamespace(namespace)
  return {
    publish: [
      subject(`events.${service}.>`),
      ...(user.publishes ?? []).map(subject),
      `$JS.API.STREAM.INFO.${stream('EVENTS')}`,
      ...(user.consumes ?? []).flatMap((durable) => {
        const at = `${stream(durable.stream)}.${durable.name}`
        return [
          `$JS.API.CONSUMER.INFO.${at}`,
          `$JS.API.CONSUMER.CREATE.${at}.${subject(durable.filter)}`,
          `$JS.API.CONSUMER.MSG.NEXT.${at}`,
          `$JS.ACK.${at}.>`,
        ]
      }),
    ],
    subscribe: [`${inboxPrefix(service)}.>`, ...(user.subscribes ?? []).map(subject)],
  }
}

/**
 * The broker permissions of the process that creates the streams. A user that can change a stream can copy any subject
 * (`sources`, `republish`), so it can read and write every event. Its seed is therefore the most sensitive one.
 */
export function streamKeeperPermissions(user: string, streams: readonly string[], namespace = ''): Permissions {
  const { stream } = inNamespace(namespace)
  return {
    publish: streams.flatMap((name) =>
      ['INFO', 'CREATE', 'UPDATE'].map((action) => `$JS.API.STREAM.${action}.${stream(name)}`),
    ),
    subscribe: [`${inboxPrefix(user)}.>`],
  }
}

/** One user of the server: its public key, or a reference to an environment variable with the key. Without permissions, everything is allowed. */
export interface ConfiguredUser {
  key: string
  permissions?: Permissions
}

/** A configuration file of nats-server with these users. No other user can connect. */
export function serverConfig(users: readonly ConfiguredUser[]): string {
  const list = (subjects: readonly string[]) =>
    `{ allow: [\n${subjects.map((subject) => `          ${JSON.stringify(subject)}\n`).join('')}        ] }`
  const entry = ({ key, permissions }: ConfiguredUser) =>
    permissions === undefined
      ? `    { nkey: ${key} }\n`
      : `    {
      nkey: ${key}
      permissions: {
        publish: ${list(permissions.publish)}
        subscribe: ${list(permissions.subscribe)}
      }
    }\n`
  // By default a client has 2 s to answer; a process that starts on a busy machine can be slower.
  return `jetstream {}\nauthorization {\n  timeout: 10\n  users: [\n${users.map(entry).join('')}  ]\n}\n`
}

const inNamespace = (namespace: string) => ({
  subject: (name: string) => (namespace ? `${namespace}.${name}` : name),
  stream: (name: string) => (namespace === '*' ? '*' : namespace ? `${namespace}_${name}` : name),
})
