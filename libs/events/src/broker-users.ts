/** A durable consumer that a user may make and read. */
export interface Durable {
  stream: string
  name: string
  /** the one subject that it may filter by */
  filter: string
}

/** What a service does at the broker besides publishing its own events. Subjects are without namespace. */
export interface BrokerUser {
  /** other subjects that it publishes */
  publishes?: readonly string[]
  /**
   * Subjects that it subscribes to without a durable consumer. Any user that has a consumer can make the server send a message
   * there, with headers and a body of its choice: nothing in such a message may be read.
   */
  subscribes?: readonly string[]
  consumes?: readonly Durable[]
}

export interface Permissions {
  publish: string[]
  subscribe: string[]
}

/** The first tokens of the subjects on which a user is answered, which no other user may subscribe to. */
export const inboxPrefix = (user: string): string => `_INBOX.${user}`

/**
 * What the broker allows one service. A request to make a consumer carries the stream, the durable's name and the filter in
 * its subject, and the server refuses one whose body says otherwise; so these subjects are the whole of what it can read.
 * The namespace `*` is every namespace, for the server that tests share.
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
 * What the broker allows the one process that makes the streams. Who changes a stream can have it copy any subject from and to
 * anywhere (`sources`, `republish`), so this user can write and read every event: its seed is the root of the broker.
 */
export function streamKeeperPermissions(keeper: string, streams: readonly string[], namespace = ''): Permissions {
  const { stream } = inNamespace(namespace)
  return {
    publish: streams.flatMap((name) =>
      ['INFO', 'CREATE', 'UPDATE'].map((action) => `$JS.API.STREAM.${action}.${stream(name)}`),
    ),
    subscribe: [`${inboxPrefix(keeper)}.>`],
  }
}

/** One user of the server: its public key, or a reference to the environment variable that holds it. No permissions: everything. */
export interface ConfiguredUser {
  key: string
  permissions?: Permissions
}

/** A configuration file of nats-server with these users. Nobody else gets in. */
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
  return `jetstream {}\nauthorization {\n  users: [\n${users.map(entry).join('')}  ]\n}\n`
}

const inNamespace = (namespace: string) => ({
  subject: (name: string) => (namespace ? `${namespace}.${name}` : name),
  stream: (name: string) => (namespace === '*' ? '*' : namespace ? `${namespace}_${name}` : name),
})
