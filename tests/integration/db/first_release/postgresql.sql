SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
CREATE TABLE public.accounts (
    id bigint NOT NULL,
    email character varying(254) NOT NULL,
    password_hash text,
    created_at bigint NOT NULL,
    verified_at bigint,
    plan_until bigint,
    operator boolean DEFAULT false NOT NULL,
    zone character varying(64) DEFAULT 'UTC'::character varying NOT NULL,
    digest_hour integer DEFAULT 8 NOT NULL,
    reminder_hours jsonb NOT NULL,
    mail_alerts boolean DEFAULT true NOT NULL,
    mail_watches boolean DEFAULT true NOT NULL,
    mail_rule_reminders boolean DEFAULT false NOT NULL,
    token_version integer DEFAULT 0 NOT NULL
);
CREATE SEQUENCE public.accounts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.accounts_id_seq OWNED BY public.accounts.id;
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.alert_matches (
    id bigint NOT NULL,
    rule_id bigint NOT NULL,
    account_id bigint NOT NULL,
    domain character varying(253) NOT NULL,
    round integer NOT NULL,
    matched_at bigint NOT NULL,
    mailed_at bigint
);
CREATE SEQUENCE public.alert_matches_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.alert_matches_id_seq OWNED BY public.alert_matches.id;
CREATE TABLE public.alert_rules (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    name character varying(80) NOT NULL,
    active boolean NOT NULL,
    frequency character varying(8) NOT NULL,
    criteria jsonb NOT NULL,
    match_count integer DEFAULT 0 NOT NULL,
    last_matched_at bigint,
    created_at bigint NOT NULL
);
CREATE SEQUENCE public.alert_rules_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.alert_rules_id_seq OWNED BY public.alert_rules.id;
CREATE TABLE public.api_keys (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    name character varying(80) NOT NULL,
    hash character varying(64) NOT NULL,
    hint character varying(16) NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint
);
CREATE SEQUENCE public.api_keys_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.api_keys_id_seq OWNED BY public.api_keys.id;
CREATE TABLE public.archive_answers (
    key character varying(64) NOT NULL,
    url text NOT NULL,
    status integer NOT NULL,
    headers jsonb NOT NULL,
    body bytea NOT NULL,
    fetched_at bigint NOT NULL,
    keep_until bigint
);
CREATE TABLE public.archived_pages (
    domain character varying(253) NOT NULL,
    path character varying(2000) NOT NULL,
    url text NOT NULL,
    captures integer NOT NULL,
    last_capture character varying(10) NOT NULL,
    "timestamp" character varying(14) NOT NULL,
    title text,
    words integer,
    content_state character varying(8) NOT NULL,
    content text,
    due_at bigint,
    claimed_by character varying(64),
    lease_until bigint,
    attempts integer DEFAULT 0 NOT NULL,
    error text
);
CREATE TABLE public.banned_domains (
    domain character varying(253) NOT NULL,
    banned_at bigint NOT NULL,
    actor character varying(200) NOT NULL,
    reason text NOT NULL
);
CREATE TABLE public.candidates (
    domain character varying(253) NOT NULL,
    scan_id bigint,
    state character varying(16) NOT NULL,
    outcome character varying(32),
    reasons jsonb,
    score integer,
    authority double precision DEFAULT '0'::double precision NOT NULL,
    ends_at bigint,
    first_seen_at bigint NOT NULL,
    settled_at bigint,
    due_at bigint,
    claimed_by character varying(64),
    lease_until bigint,
    attempts integer DEFAULT 0 NOT NULL,
    error text
);
CREATE TABLE public.checks (
    id character varying(30) NOT NULL,
    account_id bigint NOT NULL,
    domain character varying(253) NOT NULL,
    status character varying(8) NOT NULL,
    slot character varying(300),
    created_at bigint NOT NULL,
    started_at bigint,
    finished_at bigint,
    progress text,
    score integer,
    verdict character varying(8),
    would_list boolean,
    reject_reasons jsonb,
    report jsonb,
    registration jsonb,
    due_at bigint,
    claimed_by character varying(64),
    lease_until bigint,
    attempts integer DEFAULT 0 NOT NULL,
    error text
);
CREATE TABLE public.credit_ledger (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    bucket character varying(12) NOT NULL,
    delta integer NOT NULL,
    reason character varying(40) NOT NULL,
    reference character varying(200) NOT NULL,
    month character varying(7) NOT NULL,
    at bigint NOT NULL
);
CREATE SEQUENCE public.credit_ledger_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.credit_ledger_id_seq OWNED BY public.credit_ledger.id;
CREATE TABLE public.deliveries (
    id bigint NOT NULL,
    event_id character varying(30) NOT NULL,
    endpoint_id bigint NOT NULL,
    event character varying(32) NOT NULL,
    status character varying(12) NOT NULL,
    response_code integer,
    tries integer DEFAULT 0 NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    delivered_at bigint,
    settled_at bigint,
    redelivery_requested_at bigint,
    due_at bigint,
    claimed_by character varying(64),
    lease_until bigint,
    attempts integer DEFAULT 0 NOT NULL,
    error text
);
CREATE SEQUENCE public.deliveries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.deliveries_id_seq OWNED BY public.deliveries.id;
CREATE TABLE public.domains (
    domain character varying(253) NOT NULL,
    tld character varying(100) NOT NULL,
    round integer NOT NULL,
    found_at bigint NOT NULL,
    hunt_day character varying(10) NOT NULL,
    rank_on_hunt_day integer,
    language character varying(2),
    title text,
    search text NOT NULL,
    archive_years integer,
    archive_first_year integer,
    archive_last_year integer,
    gated boolean NOT NULL,
    availability character varying(12),
    announced boolean DEFAULT false NOT NULL,
    checked_at bigint,
    first_free_at bigint,
    available_since bigint,
    registrar text,
    registered_at bigint,
    expires_at bigint,
    registry_host character varying(300),
    estimated_drop character varying(10),
    caught_after_drop boolean DEFAULT false NOT NULL,
    recheck_at bigint,
    resolved_at bigint,
    recheck_claimed_by character varying(64),
    recheck_lease_until bigint,
    last_open_on character varying(10),
    open_now boolean DEFAULT false NOT NULL,
    removed_at bigint,
    removed_reason text,
    updated_at bigint NOT NULL,
    score integer NOT NULL,
    verdict character varying(8) NOT NULL,
    flags jsonb NOT NULL,
    flag_count integer NOT NULL,
    topic character varying(20),
    domain_rating integer,
    trust_flow integer,
    citation_flow integer,
    referring_domains bigint,
    source character varying(64) NOT NULL,
    type character varying(16) NOT NULL,
    price_usd bigint,
    bids integer NOT NULL,
    ends_at bigint,
    url text,
    live_until bigint,
    next_listing_at bigint,
    next_listings jsonb,
    report jsonb NOT NULL
);
CREATE TABLE public.drop_notices (
    account_id bigint NOT NULL,
    domain character varying(253) NOT NULL,
    round integer NOT NULL,
    sent_at bigint NOT NULL
);
CREATE TABLE public.events (
    id character varying(30) NOT NULL,
    account_id bigint NOT NULL,
    type character varying(32) NOT NULL,
    occasion character varying(400),
    created_at bigint NOT NULL,
    expires_at bigint,
    body bytea NOT NULL
);
CREATE TABLE public.exchange_rates (
    currency character varying(3) NOT NULL,
    per_usd double precision NOT NULL,
    day character varying(10) NOT NULL,
    fetched_at bigint NOT NULL
);
CREATE TABLE public.grants (
    reference character varying(200) NOT NULL,
    account_id bigint NOT NULL,
    at bigint NOT NULL,
    content jsonb NOT NULL
);
CREATE TABLE public.host_pace (
    host character varying(300) NOT NULL,
    next_at double precision NOT NULL,
    blocked_until double precision NOT NULL,
    note text
);
CREATE TABLE public.job_runs (
    job character varying(40) NOT NULL,
    moment bigint NOT NULL,
    claimed_by character varying(64),
    lease_until bigint,
    started_at bigint,
    finished_at bigint,
    attempts integer DEFAULT 0 NOT NULL,
    result jsonb,
    error text
);
CREATE TABLE public.listings (
    id bigint NOT NULL,
    source character varying(64) NOT NULL,
    feed character varying(200) NOT NULL,
    external_id character varying(500) NOT NULL,
    domain character varying(253) NOT NULL,
    type character varying(16) NOT NULL,
    price_usd bigint,
    price_note text,
    bids integer DEFAULT 0 NOT NULL,
    ends_at bigint,
    live_until bigint,
    exact_drop boolean DEFAULT false NOT NULL,
    url text,
    gated boolean DEFAULT false NOT NULL,
    attribution jsonb,
    first_seen_at bigint NOT NULL,
    last_seen_at bigint NOT NULL,
    seen_run bigint NOT NULL,
    withdrawn_at bigint
);
CREATE SEQUENCE public.listings_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.listings_id_seq OWNED BY public.listings.id;
CREATE TABLE public.lookup_answers (
    key character varying(300) NOT NULL,
    answer jsonb NOT NULL,
    asked_at bigint NOT NULL,
    keep_until bigint NOT NULL
);
CREATE TABLE public.mails (
    id bigint NOT NULL,
    account_id bigint,
    recipient character varying(254) NOT NULL,
    kind character varying(24) NOT NULL,
    occasion character varying(400),
    subject text NOT NULL,
    text text NOT NULL,
    html text,
    headers jsonb NOT NULL,
    status character varying(12) NOT NULL,
    created_at bigint NOT NULL,
    sent_at bigint,
    due_at bigint,
    claimed_by character varying(64),
    lease_until bigint,
    attempts integer DEFAULT 0 NOT NULL,
    error text
);
CREATE SEQUENCE public.mails_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.mails_id_seq OWNED BY public.mails.id;
CREATE TABLE public.metric_values (
    domain character varying(253) NOT NULL,
    role character varying(64) NOT NULL,
    provider character varying(200) NOT NULL,
    value jsonb,
    fetched_at bigint NOT NULL,
    gated boolean DEFAULT false NOT NULL,
    attribution jsonb
);
CREATE TABLE public.open_domains (
    domain character varying(253) NOT NULL,
    day character varying(10) NOT NULL
);
CREATE TABLE public.open_draws (
    day character varying(10) NOT NULL,
    drawn_at bigint NOT NULL,
    scan_id bigint
);
CREATE TABLE public.operator_actions (
    id bigint NOT NULL,
    at bigint NOT NULL,
    actor character varying(200) NOT NULL,
    action character varying(16) NOT NULL,
    domain character varying(253) NOT NULL,
    reason text NOT NULL
);
CREATE SEQUENCE public.operator_actions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.operator_actions_id_seq OWNED BY public.operator_actions.id;
CREATE TABLE public.provider_answers (
    provider character varying(200) NOT NULL,
    domain character varying(253) NOT NULL,
    asked_at bigint NOT NULL,
    found boolean NOT NULL,
    metrics jsonb NOT NULL
);
CREATE TABLE public.provider_spend (
    provider character varying(200) NOT NULL,
    period character varying(10) NOT NULL,
    units bigint NOT NULL
);
CREATE TABLE public.registry_passes (
    host character varying(300) NOT NULL,
    pass_at bigint NOT NULL,
    asked integer NOT NULL,
    turned_free integer NOT NULL,
    withheld boolean NOT NULL
);
CREATE TABLE public.reminders (
    account_id bigint NOT NULL,
    domain character varying(253) NOT NULL,
    round integer NOT NULL,
    hour integer NOT NULL,
    sent_at bigint NOT NULL
);
CREATE TABLE public.reserved_views (
    domain character varying(253) NOT NULL,
    score integer NOT NULL,
    verdict character varying(8) NOT NULL,
    flags jsonb NOT NULL,
    flag_count integer NOT NULL,
    topic character varying(20),
    domain_rating integer,
    trust_flow integer,
    citation_flow integer,
    referring_domains bigint,
    source character varying(64) NOT NULL,
    type character varying(16) NOT NULL,
    price_usd bigint,
    bids integer NOT NULL,
    ends_at bigint,
    url text,
    live_until bigint,
    next_listing_at bigint,
    next_listings jsonb,
    report jsonb NOT NULL
);
CREATE TABLE public.reviews (
    domain character varying(253) NOT NULL,
    reviewed_at bigint NOT NULL,
    valid_until bigint NOT NULL,
    spam boolean NOT NULL,
    history jsonb NOT NULL
);
CREATE TABLE public.scans (
    id bigint NOT NULL,
    day character varying(10) NOT NULL,
    started_at bigint NOT NULL,
    deadline_at bigint NOT NULL,
    intake_done_at bigint,
    finished_at bigint,
    scanned bigint DEFAULT '0'::bigint NOT NULL,
    passed_authority_filter bigint DEFAULT '0'::bigint NOT NULL,
    counts jsonb NOT NULL,
    claimed_by character varying(64),
    lease_until bigint
);
CREATE SEQUENCE public.scans_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.scans_id_seq OWNED BY public.scans.id;
CREATE TABLE public.sign_in_attempts (
    id bigint NOT NULL,
    subject character varying(300) NOT NULL,
    at bigint NOT NULL
);
CREATE SEQUENCE public.sign_in_attempts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.sign_in_attempts_id_seq OWNED BY public.sign_in_attempts.id;
CREATE TABLE public.site_sessions (
    hash character varying(64) NOT NULL,
    account_id bigint NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.source_runs (
    id bigint NOT NULL,
    scan_id bigint NOT NULL,
    feed character varying(200) NOT NULL,
    source character varying(64) NOT NULL,
    state character varying(16) NOT NULL,
    started_at bigint,
    finished_at bigint,
    rows bigint DEFAULT '0'::bigint NOT NULL,
    good bigint DEFAULT '0'::bigint NOT NULL,
    passed bigint DEFAULT '0'::bigint NOT NULL,
    counts jsonb NOT NULL,
    samples jsonb NOT NULL,
    sketch jsonb,
    accepted boolean DEFAULT false NOT NULL,
    error text
);
CREATE SEQUENCE public.source_runs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.source_runs_id_seq OWNED BY public.source_runs.id;
CREATE TABLE public.to_match (
    domain character varying(253) NOT NULL,
    round integer NOT NULL,
    kind character varying(12) NOT NULL,
    created_at bigint NOT NULL,
    after_account bigint DEFAULT '0'::bigint NOT NULL,
    due_at bigint,
    claimed_by character varying(64),
    lease_until bigint,
    attempts integer DEFAULT 0 NOT NULL,
    error text
);
CREATE TABLE public.usage_counters (
    account_id bigint NOT NULL,
    kind character varying(8) NOT NULL,
    start bigint NOT NULL,
    used bigint NOT NULL
);
CREATE TABLE public.versions (
    name character varying(32) NOT NULL,
    value bigint NOT NULL
);
CREATE TABLE public.watches (
    account_id bigint NOT NULL,
    domain character varying(253) NOT NULL,
    created_at bigint NOT NULL,
    note text
);
CREATE TABLE public.webhook_endpoints (
    id bigint NOT NULL,
    account_id bigint NOT NULL,
    url character varying(2048) NOT NULL,
    events jsonb NOT NULL,
    active boolean NOT NULL,
    disabled_at bigint,
    consecutive_failures integer DEFAULT 0 NOT NULL,
    last_delivered_at bigint,
    slow_at bigint,
    created_at bigint NOT NULL,
    secret bytea NOT NULL
);
CREATE SEQUENCE public.webhook_endpoints_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.webhook_endpoints_id_seq OWNED BY public.webhook_endpoints.id;
CREATE TABLE public.workers (
    id character varying(64) NOT NULL,
    started_at bigint NOT NULL,
    heartbeat_at bigint NOT NULL,
    stopped_at bigint
);
ALTER TABLE ONLY public.accounts ALTER COLUMN id SET DEFAULT nextval('public.accounts_id_seq'::regclass);
ALTER TABLE ONLY public.alert_matches ALTER COLUMN id SET DEFAULT nextval('public.alert_matches_id_seq'::regclass);
ALTER TABLE ONLY public.alert_rules ALTER COLUMN id SET DEFAULT nextval('public.alert_rules_id_seq'::regclass);
ALTER TABLE ONLY public.api_keys ALTER COLUMN id SET DEFAULT nextval('public.api_keys_id_seq'::regclass);
ALTER TABLE ONLY public.credit_ledger ALTER COLUMN id SET DEFAULT nextval('public.credit_ledger_id_seq'::regclass);
ALTER TABLE ONLY public.deliveries ALTER COLUMN id SET DEFAULT nextval('public.deliveries_id_seq'::regclass);
ALTER TABLE ONLY public.listings ALTER COLUMN id SET DEFAULT nextval('public.listings_id_seq'::regclass);
ALTER TABLE ONLY public.mails ALTER COLUMN id SET DEFAULT nextval('public.mails_id_seq'::regclass);
ALTER TABLE ONLY public.operator_actions ALTER COLUMN id SET DEFAULT nextval('public.operator_actions_id_seq'::regclass);
ALTER TABLE ONLY public.scans ALTER COLUMN id SET DEFAULT nextval('public.scans_id_seq'::regclass);
ALTER TABLE ONLY public.sign_in_attempts ALTER COLUMN id SET DEFAULT nextval('public.sign_in_attempts_id_seq'::regclass);
ALTER TABLE ONLY public.source_runs ALTER COLUMN id SET DEFAULT nextval('public.source_runs_id_seq'::regclass);
ALTER TABLE ONLY public.webhook_endpoints ALTER COLUMN id SET DEFAULT nextval('public.webhook_endpoints_id_seq'::regclass);
INSERT INTO public.accounts VALUES
	(1, 'free@demo.afterdrop.org', '$argon2id$v=19$m=65536,t=3,p=2$9rOJR5EE78HY1k3E0MlvyA$yIyGMoFKhDP3AMxGd1cniceaXGs0I9y54lc3bWwx/Qc', 1795343301, 1795343301, NULL, false, 'UTC', 8, '[24, 1]', true, true, false, 1),
	(2, 'pro@demo.afterdrop.org', '$argon2id$v=19$m=65536,t=3,p=2$Hj+QjGxA4oF12WEfvOMNOQ$zhYB+Q4aaDs1IWsH9Xx9r59bVRXuqlOlEkQxj6zuOA8', 1795343301, 1795343301, 1826879301, false, 'UTC', 8, '[24, 1]', true, true, false, 1),
	(3, 'unverified@demo.afterdrop.org', '$argon2id$v=19$m=65536,t=3,p=2$f1q2bCMHGAYEHjf0HCojew$iroSNgEfnsMA+6u0TVkaiKYMdx1zmEfA2HBsWkPbCOo', 1795343301, NULL, NULL, false, 'UTC', 8, '[24, 1]', true, true, false, 1);
INSERT INTO public.alembic_version VALUES
	('0001');
INSERT INTO public.alert_matches VALUES
	(1, 1, 2, 'vinhos-monteclara.org', 1, 1795343305, NULL),
	(2, 1, 2, 'santaclarabiblioteca.xyz', 1, 1795343305, NULL),
	(3, 1, 2, 'muhlbach-sternwarte.de', 1, 1795343306, NULL),
	(4, 1, 2, 'thornworth-physiotherapy.com', 1, 1795343306, NULL);
INSERT INTO public.alert_rules VALUES
	(1, 2, 'All good names', true, 'instant', '{}', 4, 1795343306, 1795343305);
INSERT INTO public.api_keys VALUES
	(1, 1, 'demo', 'df45f2cebfd473e8f9d0152f8abaa618d00c176e97b1229b4ba08bb549d3bad6', 'ad_live_GdwY…', 1795343301, NULL),
	(3, 3, 'demo', '6dc7ce99cf6f50281e6b858bda96cee912b0a32971ee78ae926bad72d5fd831d', 'ad_live_BqP9…', 1795343301, NULL),
	(2, 2, 'demo', '1b53e87c59dc8ffca3ccb9ea2b4f0150cbcf9aee8096913d6f221515ab050c73', 'ad_live_9EF0…', 1795343301, 1795343312);
INSERT INTO public.archive_answers VALUES
	('96ed96022adc6ae35bd63fd7898ace3ba81ec19747705a77c995428c0e349bb6', 'index of caldstowenursery.com', 2026, '{}', '\x789ccd5ac972dc3812bdcf57e83a11531689b5aa6fdcc07d014980cb4d2dd7588a902587546eb5ff7e1292da2d2b5c64d1a5a999832d3b42e47b994864be07f0f2eef3bf2e2f6e3e3eecee1eb7b75fef1fb6f7dffe797e862c9b581b6b6d53b441ebb3abddeecb6fe7e78f8f8f1fdefef287cbbbcfe767bbed9fbbf3abdde71b78d23aebdd32aad3a0ab699a225de30ca58c1545a31a120ebee66736b7e83f2ef743dbb6cd6c44199985fe6d6dbd373ab5b08d6c6c59d6c903a716b708b211a7ec2fe89305bd86df302b8e16226b5df2b66d443a288f933ceadb2ea0b2f006d22688a4e399cdc8660ad9b610b160c5f1618bfd78717f797ebffde3fae17a77b69a87a7369a406716b237b0e0dcc2ff13746643b9d335b17ea1d08fcd3c6043de01ddda2c5c7314d72aa09c3931f35aa71dfccc4388728e4b5a27a47d422613c850e5966d6d3079e92d0f0bf6d8f1d8d482fd6dc13fbf639f0417b20d4d8562bc99c17d5363b3c0d335b6864c736b8d6d4c17c5dbd48e4a453fc45d85fd31ec7194c5728c82840e21cb896be26593b814f6f61ac10c59d246312c4b5369d2f79590321cc350e789d26ea599922951a26fca3382f824f21adac91a633ad9cbde1bd57eea2416b3ac4579ee2294d689466dd9f955c225921d899b80058d8f46a223c8339eaa2bc0c4d0c4087fa9e7d3e57903b38ad98c12844e8ecc1136754df0e2fe7174be6d1be615b737889f1a1b5e81a0ced67483d9a21af3bc346bfaaaef946a3993658fc2a6e371cab9f2b2c2a9cc5e9ee821f00a8a4016516af3d3ae3420437dc34f4ce8e26c1f1db58d906d53bab1d8c9b1613e210ce0f817aaacc702d360e0d91037c2d15afa320d45a6711f63c29216b0e9343637e800bf3e5dff844c83e2878eb2b6f9a2da3e365a04ea0fd42fe10be763a9b10a5bc255c590e736b5578783d4a347b5530eed6070099ec4dd80c9a018daf7323d300b3ca907a0a49151bda00896e5f9d8782150e8d8f0e3652a4f57f4fbc68c6da376b1fd7a271fd4af834e0e7dc8321e3144704e54186bd745cd5813dfa98989793d814b4cba4161336bb37c561c8d0d39b18d933d75cc6b64b4bd4597e10659ebd5a24f4522c786fad95817691377419ff9a39b536d66e384834504ba35321546d7cbf6d32cf0746d51e3a16c4a36089d345e6a19f7c8a0652eeb5bc7e382f6b18db89ef3313fe25247349247a2cfbdd4f3bb9e3665da85d8a16157d2c1e173fd0356c162c898a8cd0935c8c5ef775f772f12c836856dcfa5fbf98937b1cbde8f195235499228d45dda44554369aedca0c069169ed9a06fe618d8e66808bae7064fdb9a9f11f0c3c6ef0795c42c894a1db8083b3e67755c66a9c06d901b02fbccdc7702d854ba057e72cec1fe8c01abfca8e3b9d7486f0ceab80db9c370107ab12adad8e7ce540a2eef6e771797bbe7d3221b3128798cc96c15fcf5d88f44a241376828558443c76dbaca2bfad0ad72a71243529499002268df7e7f450424120c943538f119bbf77316dee071a18426a19258c0da8cfe10392c2f48437950a707b230e61e1a0f38edc9239c3d246039d29cd35e32b717852eb59498276948b2c865ae67d604d9f32436b03b60ba9a16fc2ba91868e657840981ca44c4184569388ea31a449a67220b4d6d226b9685197566cc433a0ef0843f6752489ca9cee962e68c55e379916a4497a1a1729a5c8931334cf6b5a8574c9071a7e0d26c7ba655ec2950a4a43354819fd6a4ae637740bc8f3cc964c11c1a85c9d4aadc6e1f1fcebfdc7fbdbdbefdb4ba58dd6e3fdd6c2f77db8fab8b2f5f6eb6abddfd76fb7cee08e4606691e993bf835ef723f9580d55d6566d4ec410664dec4ba59baaf5aa4a8d09e63e90b78e24cf21bd149a219e1336cbd9f7ac0e94e369cd48ea2718bbd2d1b953147450d071cac2b0dfb72b0f64bf810e6edb0c6de88cfc5ece3ec834f3f28e75d22511ccda501618b79825ace810e2d9f1b90714f294fbd911b09c7d11b9434aaa28ca64e7a471a7590d5b5068dc852825b27907f6360c2f303e10c4fc51d9f200dc4ab1ae948113604fc789f2b3521652e50cfea08aa3e38be749d3c310a6af35fd3b46d004a0f22be4660ec9e39ab8a2463ac850d117b44c5aa77c9708cc3929051535333697b3cfab36acf5c0428e06308b7e184b37adfaaecd5baa104f67d93f5e5dec56bbabedeae662b75dfdfbfeee01fe7bf1f5d3d56ef5f5e1f9c2c41c52c0f6fdfbb268df85c9012ffc913d666354e0115c1674cc3c42514848d7f6bdf2fa600c917b66a3cd64f9cfb147e6b2875b20a4e9217b7709f79ac8daeb9c418c89afc8c048a6528e634eba11857e171ecf1d74afb991b5f98cce594cdd51216d3bd03f8e1b746e5278ba401824a94a55e0964ef40ed4c1b2989b36301007eed9ff2ffee0bb10074f681d34b096700f451a6abf202a7533d69741e037811f614fb92353043d95cdcc86dddeae7677ab8fd77f5c7fdcaeae2eee3f7e5b7ddade5fdc5e7ffdfcf072d18836601b39b10e4efee43b7f8c200bb412947a384c95ae4842e2d21d2b57a52c19b41f43cb417cdf0dec8111accdb085ba6773c793cbd9e386d351b24808d68988f8bc4d0a5a2551933865f024ffd1fac8fc6f8c6b06a1c90fec390bd897cc8912548649295aafd185e73903ae350952a946e1d586fd3edb70187be3f92d90ca84d2030ee197470073aac8078cf188fb961455050e5d8b885195903a3537cac756cf53df34e66c6dbd7bf524451efb415b321f4472074692894aa94e374d9949540993ff99ce33c79e589001f0fcb3476bcbd9eb626845900ac52bd5098f165d9036083560c0cbbc8fe2e36bffe920d4e41e59ff95dec3a4c7a183b21174b2a3aa340e1394a56e10774d4050134dd5fffdddef77bb870fbb3f5ffc3b314582399e49f3abc79eb87cb9b9b8be7dd65e5d2e03ad3b5a493789f212735186a4551d82ca96ba3cc3745f2dc0df7f5c5f6e1f9ebf4222c87c37b0c6d6e498fffeccdb81a234957548a42fdc30a968e7b87def94be92b2f53cb010203b0fa0c12c0c34305993d9cfb0f63091c4f11315b9344ab398d31496a8f4051f79c4e3b11d2568d1bda3ed35136ee1a7eb294e0ff850660f17d5a4add79240a0a2cba3a1a622eee2a16b4251e6639efa8773d90013cb5a1f623ebe3ff8e6b07d96ccfec3f6575ccc45b8295cb4c1075cacecc94b1181d51978d20c1aa1acecda9294ddd0cbde450e0e0a7e605ecc851a743a104abf56b4a2885a9a55bacf69d2b87146934cf45ede68079bcf6cdc491abb6f37db0f970f2f55cbedb559a799f3e1bf1f7ab3363850bd2e02114b27ab4211473e750615cb311f06a253feb436ff01b448bd5a', 1795084083, NULL),
	('c753a1e9a5983fae73ee25b6e966e3515c3eeeafdfb321523c15888f546fd5a5', 'index of nursery-stokeridge.io', 2026, '{}', '\x789ccd5bc9721b4712bdcf57e03a1103b16b47fbd6fbbe56af75a3258cc4180dc92021cbfefbc9e22291b0d0dd10208dc26187e46057be5795cbcbace2d5cdbfae3fdddd6feffe5adfef6efeb3bdbb7af77efbcf8b15360c6170cc0c8419c5ab0fbbdded6f17177fffd137573717abddf6cfddc587dd7f3feacf562397dc2ba857fa212e2bbbabe4d07236465517533c36e30a0944fe7135611861441161a6417faee18d8111421b4ce8e6d9f0e7cf9fdf7cd3f86f1be362f5f9f2eeedc5ddf68fabfbabdd6a3d0f80213c6d9f210218309bdef11f621b19881a146d289ae5bebff1853bb8c918b4511cc8b1cde236ed4513e45662d308d354c2c6633a65dc3490810d41e04f0b8cef319fb53ec3dc04d3dab860f3cc1f76feece429de20c40413ff8f9d37918938daa079e3df200fae16fb5693e56e47f220e8ebb86a736efb44c6362e825adb9fda7c641808ec9b941be868979f353e7df0609b83db1143d0e3f2cc19489b48181bfc22c12d3e71a53a95567d3b0e62b468160479ab300e58594b413b7021303e95e4108220e7d8201cf1f91d3fbb6d0ea76d1013b3eff1b6d3edc3d653e00eec8fdef8b4f72dd274542583ebb1b4f544da9652857de2c665e425babaa069e33ac921286d9ba35d7dd6f88cab6338746a9804e1f9ca7676e2905c31c19870661e15676730bc411c981b5f33eb52573bddb656123ad460b1236db76192e68ef0d27068d24a34c5487326dd50c98cb8a3a3dd1c8929dbe0dfba92334e16e888b3dbe69a33c30b42fcecc6298417781bc5f8bbaa5959463cb653d27b226c4a3b2432b7a9a3bc2aef9b4a0dc96c62a77ae321d64cba30bfed85f92c809930a7a09d294610e6d3b9fdfc86c1dfc5c3c693a342fce41ddf1804c413861d7fcc2df74b2dc738e182707bf45345d2813965adfcb4664ee8b7753a382bc4e9b46510cc0411f24cf9fe184f3fd93a4807a47dcd7c12ad8b7977a9885229c63e4c49c1faae2f1adf09896a3d5e947e47c1329b4c6ca66e93e05ffaa49a262cef39d9ace9192733b554860a3e97ce5f5226a02b9b96b6aee5a56ed4d8240c5d2b4e4926c342768a8372ee57144f6515d835d02d90d1c45323fcd3f61ad66006d1a205d3e37dccb50222150ea3a851822b49f2361c5423693dcab2f15bed6333bca15f36b45214c7f13ed93202ff022f63a6418e2a22e7386d04e29c184c87d7cfb70d6954f76398b09feae118fc9b23cc0ce33b7259d2aa3aed4081cba20e786f0d9187ebb4a2951f614b95813eedcdb475c8a518369e8ae3ad5779d80f4dc6d3aae33df543118bd1c7b9936595e564dc03eb64da3a6cfa467744063f329fcd9a9ece67d079523872623c4ba519de67b7ce755603ad408e8bee93779ce856488b44641e7fde2477982a5b55445911d94349b34165b51715966c23a7b0b4b7b129eb14769d204a093b32ab9dc1b20027871f6247d691d32d430d613ac6f0919c832c50994f021c24382b7153f77d50f89daf6856322b1c75059b9a2fe90132d430133ced58b5306b7ac6bf19d015405de02395e119388368350461e4c8733e83e50d6218d43fc6c747d649d62f7fbff9b47b12e4201b36583c4d390e937ffce4350659c5b588aa30aa035a35856bd98a51ca59178f5d2024280772b8963c63d041a68f80a14505e55b388a248e9dcea1bd13143119a9020517ba43e1f93862750f358d306312c79be7b5cc87411f5474323df679f9d9dec19020b588337649cfa4c001970389454c7245f23ea8bb15f47c07c75eafc0203d8502d70448f39381837808eb2ca79259249dd18ba5e3f19cd232204de8d9414c7cc073b84d7f8d07c416f88b49099a1e0dede1d94b15b3802652c56b3c204540f16e20432f98cc1edca0c193928c4d40b2c44e5a88a8ac964ad955e657718789d21b34edc55f00e96062d0f598687e8475108f558e6968e75e915731ae1c22ad66f06dd7e5635f559d4a341ef3109eb737d7bbcbb74fb14da188e98e646660fefccd1e0c9a451d9775d13b9d1bd865d27b310b599ed44ee586750441850fb6435f61c05258772610816c26c57c1b47e82becc8a0a7f6300679d0c75e6937919b37a5dbb875e1691c07fde5050ead63f4ec01b125ddd9b7b1409f54a41cf45387cbc46eeab2728328899b2e0fa35276a3c67230b69f96fc926ac4c32d1e87ca373fda7ff5ed6b4cccaaa29e740576b32aead2341fa296a734c0a5722c8b0bc0641e941b7b98a0776510e5024ad2cc486a0250493a159524b6842558ddf96145850aaaac1f5ba72d1f01f1a580b4ded6373f263d699344865d553b38b5b2a06ea9c483e5b845e43469ebd92a671ad3c183bbde7ebebfb8bdfb747d75fd7e7db9bedebeffb87dbbdbbe5b5fdede7edcae7777dbeda36044ba80401d9b13124b16dc9b4dd856847dc709bd4265d255ae27ea20715bcadc81a53c5be926f844fc70f2d8c4880963aec5381ebfc586d11d1b19970d4f83003b766bbb7111974cd2a64888c67fcafebf706060007dd286cc4c9d162fba7710795da544dab61d5baa4d78eab5e04a9c5aa52c13cf73818838582c8e23a2af794dbc243bfcea5c1e0690086a359a9e379fc025b33a2f70a81f8b7cc8468b5879c97c3d4fe9f3aec1bcd75c4e0990af0909d898f05f68c57f88833952b6b5725964cb288cc32e2e23da87dc91a4e2b933369ac8c1ec790c117d09800d4a374b2e19172fbca7f566d94c68bd079b9f3f5ceed6bb0fdbf5c7cbdd76fdefbb9b7bf8ebe5a7f71f76eb4ff78f636628b9a0d7c58b81d00c8fe9355f1f875fb5ad1d2b598fad97e32c1a139c767d64a52329ed96c52bc899d37e35c7e0e125d1064101a24bdac0a319d0d64f1b8e7dd6b9491e13560cae970fb46576e0446d23348369879a65c01e6e6ef5f8796e2877347acf1361d480444fac64b0290fbcb28bbbb2f12b95c62e8882d3f6ffa518c3267a982e2e4b510b96dd7b0ed1544e4d3a3e94a3b07a0b875e063e65b5435e747d6cd510d87cba042e63a203e2612e4ee79bb4ef63c29b3ce824ae7a7770833023ae4cadb8a8ea2c7102bba73a45f1339c09d2ff609da9e6c4e8f7d12868e9d62c199c8227b80a86a8283dc766492170dcd2ded1340e36384f26b7d7ebddcdfaddd51f57efb6eb0f9777effe5abfdfde5d5e5f7dfaef6376d2820463cad0c2c8985c706ffa82a92009736a3f4b0369734ba575c0ecb8835ad8e73d34f6787370eab10c3f982110dd6ce16ce6d7e4401ea60454dfbf9efd0c3a1e944522133b73caa11cecbeb658a46297e0d855967235feb90237875f0fc04d2060a225d73dbf1e872f99696398fa659141963c5a5dbcf0de6566935974280b153392b8a3df160eef68eaf7b496c5a86c3d0a3c38163d868c1e140a4d656616f6bd440a3fc67ddf4aa1eaa45795cc7316f69da7bcb1949d47fb731141fade98636899c8fceded8b9af1cbf2d1b7d1428bc205af934fe013d352585e165a75daa62010ab7e2c1256b4b4f27aa51c3d516073e57c111f6837b04006dbd0e9a769df4b44302622ec5ab6a07e6273ece6cd40a28a09d6fa76c287b311d16fcd98ee04c90f3d98d0c1b9189d80d2d80e5c1bdabed0e9ed34cb186f1b4b549acf39d219a206c31b24f423b21f9301e0607cd6d2b14f13210255e635cf785e4a168d19e6ee2491bb9bdf6f76f76f767fee9ea0ea5f54d0b709d3505f7cf600e6f6e3e5d5f56383dd6795d7753d2b2b3b0eb38208bf0868d3f6786868d5152b72f871cc6b301ba86718b12fb708d3f5ecc5b77bbde52ca289def21522fd96419f24118b1eeefc983d82fff1c7d5dbed936a44faa901e1786688f5e5a3bd61881b152163f9c86a8245ae1463a416dda054e2ba4c969323e117407475d0cd3568909922770048dac5718bbd22cc405c431fcd06cc6037c2ac127117e6f6e428f82510100dd8d48fff8dcd82133a80c6cf581ae79e13a5413ec6591b13ce6565b76ea4fcb0546af1b69087675e840a634e511e40223a2b1b595ebb318b7b9bdae3a002c8b849ea3638b62a9d73cd83c5f079cd17bdabfe9d1028e06cc124e7f5d77bcd76dbe44daff810d7509ffb21f70635a44dcb92d6eb8a96ac103ddc11fd0d96be7fd28fa3366ce679d44f83a4b50eb89249370b86aa53a8c631973de7992f1de6f1b00bdbde6a2c88b784fa7660451ad5e2f3d3d959df1a1a849c862ac9455e11c1e384d19a8ca92759378c76de766cc8685e6854079ba9cfb7eb8f37efafaedfdc7eb87dbe78d93cde3ecf3bd5ab8fbf82a2501973c13a2ec6be575669e7d21db3a6c7bc0c3d59e54528c315d91ccc00fb9836fa09964e4668ee2af1e7007af8c501aa5ff7921f0de87fd4a0d067', 1795084083, NULL),
	('4d9a1b1547eaf71bb7c75b876b37c794b75b22447470caea6625be77c5f921d8', 'index of stokebourneengineering.com', 2026, '{}', '\x789ccd5c5b53dc48967e9f5fc1eb462c6d29af55f3262953f75b2aa54c496f6e861913e3360ea869f7fefb3d59b4db98c5545675d16c3802871da8f8cefd3b177175fbcb7fdfef6eff7dfdf3ed7fee3e5d5f7ffad70d7cbdbbf9f4afff7a778182600b7f3601c5280c2f3eec769ffffeeeddf3dffed3d5ed2f7fdf04ef2e76d7bfedde7dd8fdf2d13d7ea10c66b54d74d7cd3829f83aadbccf2613af53d2d1225d2f424ec2bf5d1d421122c4021cc05f5f517cf9f2e5a71f237977f1e5fdddd5bbbbeb5f6fee6f7617978771d0101d8211060171ea2034c09eca781d140c9190861cb1c3285e0bc226e0600f1a066fa908e715210928a227f96689a67895322251dc763489359ec704934e2d338d16dd826f527a1045186084c30d7cd99ca68b83307c7411823d68c051187839c5eb28621b92302018a3b7340738050e19c281078aa710e6a6aceb292e099dfa98aa8c677d448b711ca44cda4a3500016f0f4240e0916007ba094f09d083187cdc01812b8035822d2627d9e23c8a001b380c04d2c5f1b620a85c97211d5069ba553664ecca55264b1d1b5a8d935e5ce5201e1038e40982031f45fc1f5b1cc4e0630b0c192284aa11222f2dbc060402b91aac4019e1bef5f3496caeb52eb54c7256cb58d74c88b831b598162d4d2bf3c1f9c3e1d824600c485198512f63bc0a04c80f0c124918f2b7824003c8509022103d0102c7ed4230d3cd8069bd34324d7933e4f1c4d11cb55d965c848c6f3c2070a8e02101207efef05cdd3a08c5c73369b009b74068b6283ccd33cfa4907d8cf280a01399dd5994c12048718811a5a7111a823a46e7a5aae450f4b3b53642b9ada2c5e6721e6cd5832eb6875326735a4018737c827f9e0bc206e84448372766ed0318bc6c11a290baf285b6a787c85990f0c0d1dc2d829abe47727f748c9cc728ae90421d05babb39114756cf0936c99c4509b17441d96af4daa2b1a3635ab59af8c52a77042bc40413767cca801ef282b4622d8749cb25321349f38e178b58186a9aa8416d545d00853d8862039a40c0af42f2cd2a7fb52636019432477851700286822c63269675cd21d41713eb2892e554ab964b434659380c8739de069a4104540c5af413bde25c38c27d4d6534f4d2c593483d08c22752b710a9ce26e1230c47ce29ce8483ef3bb1ed23bf3892ef89785dd38a5553b974ab11156dab311ac9b4ce82e44c3a9b1c663a5be71b01019b6cdf1847e82a2b456fab0ff8200c7e4a3150f113e2f55c181842e11638f8a9d5e44c38208bbb211254d8137174d9284881d622956beb3a545961d4209ada9ae058ad5e391439cfd83afe87d02979e320088f78050cd017055b68cff01beb628b986b0cfc3ad5f3575514ba2c0e111292cd091192f49542a2cb1a91545d5b37c80022a6968c082450cd1dcf398c0101c3814e8006817f167f1d1cdc35474075deca1ac06f5c37e04c72a2266aacc64ce996db2c8b7a01b50ca57dd3f704ebcc1603f2cb152010b0711eb29378ceb93050c814d47d7d635d70b70a01f73c89e71c04e193af881bf68618e3df87cdc7d9c3e818b1024bc6501f47aad39189bab28e84406539a6ae63df1c5c0921374bc26ede4bc9297a3808c24f0f5bc7b52809df500ffbd13f43946cdf0c03ddcf2d10dafebe88390e83cac59036a212f39a9b8e100e692aea33159b8ab4495dfac5054426c2e00c4170521d3f08c2c71f80454005059e89f19b60780fffb77b18394309778b299f6d901b5c3c3cf9bd5d70d6ce4ad1820e71995952da492d6334b0850ed9aabafc027a0ce687676f1c57d8439f79ce73605251d9a1b70db671bd228b6b219aa215d011419f240b7d11e203cba1af60dc3a19a206fe602f6f7d0e8d1a6c2ab2a4a8db964febd2e4a31edb391b5965fa7164f311688073817202c2fdfad6e7d064f132d6c4a405ae9b4cab45ea94e1be611cc56b93178b43f372b1ff030dde2fafc054c4bb637b0e11a74aa69140268bfb46f678e867a9671de77c6efa7c498fd08f1b55c3474286f3e6c6cf21ca7195b0341bd635ab081272eee52a55377785eae2844d87115ddd7edabdbfda3d9c23046803ec88845bbff0fafaec13d24e623d7636ab54915451d67745df08d2e66563505c2d0a301da089df30b935b8db8723167a8ef47f004a37715c90b5535d5f233b7596a3612aa264acfb661e6ae440bd9c851e81a2e17ec21fb06f0bc093404d6b61f2c94c13eacc100fd9942e349d87b699d0629071f186b82f28ee186dc8c926f48ab8e7118d12dadd69ea5bd90e554b751b35d558f13eaf0b91147de510bd9c1c1f237a98e14146faff8268ebce09dc463ff08ebae75195dc3251183bb40312ca662591952ceab2486d9994537e8ce5dcfc049a92906e02ef99c15f826a0369dcf5cd5e3debf388505fe9a2a4f5524575541222e21238985ddb19d8394bdba310b94b0cc7c7be6e704e4224ea86577aac4a25e69937a6e57d51ea222f923c6fca051de34f505148b871d372fa272d27bb54192a0ad9a05e68da65bc34b9ac05a37d5ab32e76a85e1e743c42450282dc8492132fbef63ca2022f49bcc6899e9aa6a346775592f686d262ece6944a7294e5c87e26065d05f662b15f9f7c3a443e04e91091fc74fde5de7db9fce7cdafd797ef7fbbb9bfbcbafeb4bbbbbebcf974bf7bfff1e3f53f1ecec0b6e12624c01a3ccfc07c3ef749392a6ab1c4791ce172d4edb46a59936492b265855af4ecb21a7b7975e5290b0af743491c043e5bcfe305898b25954cd6163c77e183aad58afb7c1df22a8e44472227c8cbc5de531002f1bf0db640b63d0439cd28858912b1241994df1cd1447774356d826a9ef70a3c4d9fcd28c01df6374484782cc44f10441a631223963631d39a2bdd146b25e298776335b0b9065e81b62fc7aea720ae430f21113cde929d559231b14566236d8dcd0b9a261ad77a4a446a1941348aedb92471b36ae8732965a1778770bc340d89b33697958d85a87837c9828b4a314932d3c7d4b2b34983f717bdee80d3ab521e2f49063d995d935cc4461b23220d520dc91047963356a2b37918f4490c71a8b16099d791244146aaa56f9558b018e65c603d8c7d3252a917c3b5af87dddefde3faeef2e7dbdb7fc38f763fe6f23f9f76371f2fef3fbb6fba78383987ca1252afa0ff23811df8dc27fd29f895e4aa92322d44858c2d4d36e2b6d3584abbb2121218f7a890076571c7c1210911c64725e3a36491a6cf78350f323786da116b8bedaa8a4ea2498ea6e44e96974778beb2b82e25608461cf1ba9e36569d25ccc29e28db4ddd844b11c8bc5d6ace82ad4e5f5becf3b8f2c6ea300fd0dc6bef75ec7cb928f1529ca05276680c49c5913e3a2592997e9c4a22eeecf260b75dd4718d0adcffb00a7c952c84ed68989289e573b968245e56aa379c81b91d42d722c2c3847ecefafaeb6ced1c8abd965e97bde24354769ba10d5e32aeacb7a8d49cea3c9762a3f9b2cee4e698310ddf84dc58f97a455e0488d82fa9ec7a94a193346b575366593e863440727c9cb1d9aa724db87172d30f3dbf79c2049249b82e0aa3039c3626cdd45ed9a284e973ec2f32cce65937d67ec7a3ea8faaf2349cd39133a8f783f2cb6d5725a6592014b8e33be08d6cb73d964df5107ee52137b77d4c74b534d232ec1996a5cea4cc7c32aba2ec76bad336e9a75b19ed27cf97073f5e1f27e777dfdf1f29fb77797f7d7ef2fbfbcdf5ddffd3e4c75275308a1634ae48f3ff27b09686d051d8608b580baefd306a19cf6e9a44d13775866ae55f99312b85d68e8b61b21f53d483c4a8491eab25fd1a8ca8967f96216d4abb1d6338a672ca6a1f7ecb65e16c15d48851bbcc59e83dae30da1b85e152f86681685194aa6e6b118b960891215d6f41c52b819b8930278f02bb852d4264391cb84672aebe62e27baeac96822b946d9482b720e091848b07523c56f139573ba1224d464e033e6636a485ceb31ceaaa5b50c4d0d4ed696b978f6e0bd2f8ab071070a6e80ec77ac7114feaea8bba8cc9639514847ab4183509319546f8dc28bc9cf817feb8219322ba6fe2da17f28c7a3ae98e90a2a67546b85314f746dd418f76bc7ec19f0ffde406da0f1604715065f198c616b865b919324597a9ba825ed65de1579d40b2444720e195c39706b3fec7706765c189362ee595af361281b92e211b2d2d0e0b26d1234749139077ef7d619a422c2f1f963a0c9e438173ce50390f2d2a0224adaa5aca3151bca97a23e077e3743040930f73b2a390aff5cd36496ba896515595636e92c3a81a055e21d9eb5dde7208f41e88bf8a93be1032f62af14037c5535364dda377c68b16d58b2aef3d42d38252d1d3a7ad80677b73fdfeeee7fdafdb67b18a4bbe9734837a1ef9ef4d1f37b689f3fbebff9f4e01fb651d2184b7b159779d3619e761919278be69128d35d60fa72dbf93d34fcf0365010209ff769ff32582474eb77e2760f7ea5fed1e34fb62507911dda967c8f8cefaf5809267e07c57f95c610a0da1f5204d82ba7bea2beeeafef7ebdb9babedfaf5d807b6e1d36eaebf97f3cfde41d279d5673dd16aacae33686421b2b142dd4ac6996e48a415a816cec0d8b037dc121c6a19fb27e8089a5ba1649544f6b3900c78d9b759d662e93214b93a8d2bdbba07a7959f918937bbbc4250aec77e1f6034ccd80f38ee5435f479837d626d3a2fa5a16aa507ad1b676985e7edbe61126770383dc6b15dbc0f7f5cd1fc09206256b430c2e8692e0a19ab9b6adadac5e934e291a1da52ab79074bf02c01d93ff095555a4e9356146cc9168fba2265d65500685366a6d29f2de4355bbfff978fdd3d5fdfd033173bfa2017aacd0fba6e2dbf34f6210cb6936ad4c0b15d57d9616b9a0d132156a6d9685988a1f8ec1c7c8a089c7e05f74e3777ff27aa8be7cbefc780bfffee9f387cf0f0d9d7b4f9987c4f785d8ef3ee09b3549402e5a4e0de38bb56bd4c7ad164b335ac4fa5c6ad576b9ce2ff086fded7f017dd28485', 1795084083, NULL),
	('0f98a9dda947010bf2a8fde274f5c75de2a5d584aef361f5eb6db2aac8137602', 'index of thornworth-physiotherapy.com', 2026, '{}', '\x789ccd5ac972e34612bdfb2b789d8861ab502be01bf6a5b0a3b0ded4326d29462d2a448ed5fefbc992d4ee96c26d001cda723082113ab0f45ebecacc97095ced3ffdfb78bd7fb87bdc3f1cafb7f7d7bf1d6ef6c7ebddc3e5fd6fffbad8606430c4903010350cbeb93e1eef7fbcb8787c7cfcf0bd1f7db8da7fbad81c779f8f17d7c74fb77002da6489485c8f10af978e3b91bc6d8a80c545e687a398269c6f18b27eb85a80841b808298847e41f267287e34d15b20914d1c21651e7775517be5e4d753ee77a41459e43849676f0c6e2e4362218a18a6e4e4989c0b0a4704092418466c49502e368f970f57170fbb5f6f0e37c7cd761e0733f02218026144b0a6b608c6eb68b88dab304f5462cb9cba9ef2cabab1dd0efbb12adca48a1747c330b06158d4c0e4c42b722e240232866084a9f1accbe19d2222e09a9a06061cc63be3b0742c2065c44938d2bca6ae94b2a0810c28c96536ba71168763913a32ea3ac061b105384cb8a6148a085cd553529720633392a28d649e3435556939388cc92ac642265ed46135e10d254b5206904054102588bf73444cf8d615fe7d95b11060d0094356979033aa622102250411619ca64a9287027b891ab0cd981fe55ee05641ef4684b221ae230fa22196e48b05f9a28b2a44e5771cf317f54d719f05b3acb85b50550532197a51666d4cf2d4a14ecdbb7472a6700a1b561095d5611a12afc9e242df1093cee380a33048031fc64e8fc92c984531012c1c5168772635dfefb6ea68e0271c4cac88c86b75ca5490d6ebbb6408c634770a91b344b9139836464bdf0d74fe1a4bb018a00fe0616ccd8dfdabb0c08dc550590979772cd06f9065304a98753216a206bb70aa8eaaa20faba653cea086302ec7c175a36078aab16811160e5181b850fa0fc062816dc498d335717993cdb360966533d1796408627c35f4ef90cda00c36b136d1fc6475a41b3a8c38e0d360ca12ce60dbe0d4facc770869992c4aad8e58844518449717b6b4e6bf516616c83265a81e2b1033e88b5f7bcf9850f048587fd8694e09bb8df448dbf7c91079932f3b3f62a564a40dda5039395fe80d008709fe804245314f8ec9d9b0403cf482e0d4f9e25c38187441b8b5dabb9d1c9381c7a4cf44e2379ddf93c2234531a9ac628cb2aeae0a7ba94f8178e82501e3648d4ff98bb018daa9405ca879923ee7c301be1e861d4afe8f6a3f0b66bea65c7edcfff7f8b2b2300d6198c47ae9cb0b76052f3f7e3321b3d896a91aa66e0aaadc0dc7328c85d372cced380973e88784f2c5a84cc490bec4f0b53c4e7f888b37aa575d407bbfef279c549ea742afce1bcf0d92bc4cd93a5c16982a0b316c192bf4fb435c828e5d96842c11999b8a310e685a95c538105a5571303de19a9b17aff677c7cbab2f3af26793b5ac776b1d7ffff96b6475c062c1ca41387cf49c94f765a0945d57242adbc86e1520237377fd5b6402fa96a96d315a51a7bf83ad4c03ec8078b9ef659d5de7a41304b76114512eb3844f1adb9c9adf6283990eba3bf491357df53bd83a3c56536ebbfd50d0523a654b4a16348143d2b8ab5ded080959a1281ca933931a62cd9cf737617b5a72821bb1085d564fbf838b4b3b29f3987b65d8b86e5886a318b8eb4a372b0239c4d9123def768f878bdde7ddc3d5cd61b7fdb8bb3c1eb60fbbc371fbf3fe617bbb7fdc3d6c3f5e5efde7254b0c24a00f70b6384b161fffc66dc599f06dacca2462f9e0a9a00fdba2ed07896b3fed060acc907956660c0b0331932ddee8ad62f7d6d7ced19bef416bd8e9fdada15df83779faa7f7ed44d5fac0976d4cbcd497345549effae9d0c9a809719c74c496a09a3137edaee005ff52408e1b84d185797422af26cedb2a15b80e2746a280f29673aec6c1aefdac2c45ae6fe39cbf5cc34b3f80a04f7e67c546e6446ebce915abfba11d08516ec3fbba496a59276c9ae4e090ecdc9a61a8201c0ae0974df1d9247b9362b3bcce9a627a6800d938188815ede644c9548c9b22a2ca26ca6bda362b832971151e5d258236e9d3c59241c8ee6eee7ed93e59aceda7dd4f37573777bbc3f6b0bffd69bbbfbb853f5eaaa39e1629368d454fc4561cfe664e703dee39b153b76ee79749239cd109c23e2a23ecb965ed2c7175ab8899308c33c32296419796fd93c9f96511054e42ba524e5d90a6bd1d0da3d3a44591291eb78d2637b7405845ce0297c1904581e68aea7802332f7687d1ee8626c5939449cda9ef0732ac648a43e237f5d965d3be5320bdb95ef87ce55466a95419f3cab40c44ef575edd78593a4d8d7282a2c643352c197fd63003461473833293aed87f9fcacea987a6548e1f4b67ac8670b06349db3c8b067728837c8ccf7d23755f838e6d3241d6f6b57765777d79dc1ef7dbdde7fbddd5717bf9f311eaf2e5f6fae6fecbe808ed1a4423d66aebf86747bf664373af19d334505ea23ac5aa360bed417665277c5ff15c578f65fd6c868da90bbd81603459955a8b79c0d019fa3c70eaa6c73ccbfb6eca5957d476442315e0460feec6dc78bc80077eaa0ec830c0f3fe253cfc3cc771d38e0d16226e610aa311eeab3acfaa5c4da1dd6b1ee40c3c0cd0432faf295b637197f3c84915f138c97229bc98977d27fa7a0a0a7f98a631ca8bec5c7ae8a78ca006656b56ab2bb994a19dba792d2561655aa47d1b26c398e3de89bb385461782e2e44673c429493152b99955c22d6241887e914c65392d979374e6129cac857d25132cbcf75bfa8be5dd050e9d247342b794835e2b8af9a22a7c2ab826e0c14f68522ae1f775cd9d5121e0ffb8ffbe3e1c3f1f3f1f9bd394110b288f9f5f5acd9e07f73c213bcfbdbcb9bbbe7d70afbacf2bbae6765e524515610111421556d8f0745abaed8103667a55fc3d31b61bda7e6082fdd91fc7de8e04c863882b9f29b0dec3f2472cfeb57fd5c0cff13b01d760fbfde5ced0e5fde1a4526b2908997cf095f0f7833bdd911176145c3b8829e61cb4862c7567de887d154fbb55e26ce3e487c054eebf9e4f317be36f977018333c9f31a962c14f47bc8c624899acab6fbb072020543539ff9be5dfb21277dd1095dd8adb96de02b64d04fb16570c6e8c287b0df43e606aa88e261a8dc6008ec91d6794dbb6c28aa089a4ea0b42db3e6364387e36fb7bb0f5787c373bf17609329e4c1d298fdfeebb76f35f8edd0e57e1057765a86411c79cc1edbb89ab271a49d140b16208ff7dbdbfd2f37771feeafef9fcda10e1c0241179a9157077c8d1c4574930bd67131f6fd6497fa99c498297084d0e09a2a2fa226da1093fff03f331281df', 1795343296, NULL);
INSERT INTO public.archived_pages VALUES
	('stokebourneengineering.com', '/', 'http://stokebourneengineering.com:80/', 55, '2026-04-19', '20260419154741', 'Stokebourne Engineering Ltd – precision turning and gear cutting, Taunton', 240, 'stored', '# Stokebourne Engineering Ltd

Precision turned parts, gear cutting and repair of industrial machinery.

Stokebourne Engineering Ltd manufactures precision turned parts and gears in batches from one to ten thousand at its works in Taunton. Twenty-two people run eleven lathes, four milling centres and a gear hobbing machine that was built before any of them was born and still holds five microns.

Customers in the water, rail and food industries send us drawings, worn samples or, now and then, a photograph taken with a phone beside a coin. We measure, redraw, choose the steel and deliver a part that fits the first time, together with its certificate and inspection record.

Repair work is done around the clock when a production line stands still. Shafts are built up by welding and reground, bearing seats sleeved, broken gears cut from solid within two days. Our van carries line-boring equipment for jobs that cannot be brought to the works.

The quality management system is certified and audited each year. Every measuring instrument is calibrated in house against reference blocks, the climate of the inspection room is recorded, and a complaint, of which there were three last year, is answered with a written analysis within a week.

### What we offer

- CNC turning up to 400 mm
- Gear hobbing and shaping
- Shaft repair and line boring
- Reverse engineering of worn parts
- Heat treatment and grinding
- 24-hour breakdown service', NULL, NULL, NULL, 1, NULL);
INSERT INTO public.candidates VALUES
	('engineering-tarrworth.net', 1, 'settled', 'rejected', '["Gambling spam on 3 captures, 2024-11-08 to 2026-02-11: “veren siteler listesi her gün güncellenir. Yatırım şartsız d”, “seçtik. Rulet, blackjack, poker ve sweet bonanza gibi casino”, “buradan bulabilirsiniz. Kaçak bahis, canlı bahis ve freespin”.", "The score is 34; 45 is the least that is listed."]', 34, 0.884135, 1795728300, 1795084083, 1795084083, NULL, NULL, NULL, 1, NULL),
	('selwdale-nursery.com', 1, 'settled', 'published', NULL, 81, 0.748481, 1795294800, 1795084083, 1795084083, NULL, NULL, NULL, 1, NULL),
	('pietralupo-apicoltura.org', 1, 'settled', 'published', NULL, 75, 0.686541, 1795305599, 1795084083, 1795084083, NULL, NULL, NULL, 1, NULL),
	('software-caldfield.com', 1, 'settled', 'published', NULL, 78, 0.676067, 1795294800, 1795084083, 1795084083, NULL, NULL, NULL, 1, NULL),
	('nursery-stokeridge.io', 1, 'settled', 'published', NULL, 85, 0.861093, 1795888800, 1795084083, 1795084083, NULL, NULL, NULL, 1, NULL),
	('tannenrain-schreinerei.xyz', 2, 'settled', 'rejected', '["The score is 25; 45 is the least that is listed."]', 25, 0.221161, 1795647300, 1795170483, 1795170483, NULL, NULL, NULL, 1, NULL),
	('vinhos-monteclara.org', 2, 'settled', 'published', NULL, 75, 0.587764, 1795641900, 1795170483, 1795170483, NULL, NULL, NULL, 1, NULL),
	('stokebourneengineering.com', 3, 'settled', 'refreshed', NULL, 75, 0.551711, 1795286700, 1795084083, 1795256883, NULL, NULL, NULL, 1, NULL),
	('caldstowenursery.com', 3, 'settled', 'refreshed', NULL, 78, 0.688007, 1795543200, 1795084083, 1795256883, NULL, NULL, NULL, 1, NULL),
	('santaclarabiblioteca.xyz', 4, 'settled', 'published', NULL, 70, 0.620258, NULL, 1795343295, 1795343296, NULL, NULL, NULL, 1, NULL),
	('muhlbach-sternwarte.de', 4, 'settled', 'published', NULL, 69, 0.604624, 1795792800, 1795343295, 1795343296, NULL, NULL, NULL, 1, NULL),
	('thornworth-physiotherapy.com', 4, 'settled', 'published', NULL, 77, 0.723727, 1795640400, 1795343295, 1795343296, NULL, NULL, NULL, 1, NULL);
INSERT INTO public.checks VALUES
	('chk_01M81CSK8GTC1JPARZDJPBD0SV', 2, 'thornworth-physiotherapy.com', 'done', NULL, 1795343306, 1795343306, 1795343306, NULL, 77, 'ok', true, '[]', '{"tld": "com", "open": true, "flags": [], "score": 77, "title": "Thornworth Physiotherapy Practice – treatment and rehabilitation in Madison", "topic": "Health", "detail": "full", "domain": "thornworth-physiotherapy.com", "status": "pending_delete", "anchors": {"top": [{"text": "Thornworth Physiotherapy Practice", "referring_domains": 59}, {"text": "thornworth-physiotherapy.com", "referring_domains": 49}, {"text": "www.thornworth-physiotherapy.com", "referring_domains": 29}, {"text": "Thornworth", "referring_domains": 25}, {"text": "source", "referring_domains": 20}, {"text": "here", "referring_domains": 17}, {"text": "website", "referring_domains": 15}, {"text": "Assessment of back and neck pain", "referring_domains": 12}, {"text": "Home visits", "referring_domains": 10}], "spam_share": 0.0}, "history": {"eras": [{"end": "2015-05-07T10:41:16Z", "url": "http://127.0.0.1:39971/web/20150507104116/http://www.thornworth-physiotherapy.com/", "days": 35, "kind": "parked", "brand": ["coming", "physiotherapy", "soon", "thornworth"], "start": "2015-05-07T10:41:16Z", "title": "thornworth-physiotherapy.com – Coming Soon", "topic": null, "detail": "coming_soon", "captures": 1, "language": "en"}, {"end": "2026-04-06T18:27:22Z", "url": "http://127.0.0.1:39971/web/20260406182722/https://thornworth-physiotherapy.com/", "days": 3953, "kind": "site", "brand": ["madison", "physiotherapy", "practice", "rehabilitation"], "start": "2015-06-11T16:38:34Z", "title": "Thornworth Physiotherapy Practice – treatment and rehabilitation in Madison", "topic": "Health", "detail": null, "captures": 31, "language": "en"}], "captures": 82, "findings": [{"at": "2015-05-07T10:41:16Z", "url": "http://127.0.0.1:39971/web/20150507104116/http://www.thornworth-physiotherapy.com/", "code": "parking_phrase", "note": "The home page of 2015-05-07 has coming-soon content in its title: “thornworth-physiotherapy.com – Coming Soon”.", "rule": "parking.phrase: coming soon", "zone": "title", "quote": "thornworth-physiotherapy.com – Coming Soon", "lexicon": "2026.11.3", "category": "coming_soon", "severity": 1}, {"at": "2015-05-07T10:41:16Z", "url": "http://127.0.0.1:39971/web/20150507104116/http://www.thornworth-physiotherapy.com/", "code": "parking_phrase", "note": "The home page of 2015-05-07 has coming-soon content in its text: “Our new website is under construction. Please”.", "rule": "parking.phrase: website is under construction", "zone": "body", "quote": "Our new website is under construction. Please", "lexicon": "2026.11.3", "category": "coming_soon", "severity": 1}], "reviewed_at": "2026-11-22T10:28:16Z", "last_capture": "2026-08-22T12:43:49Z", "first_capture": "2015-05-07T10:41:16Z"}, "listing": {"url": "https://www.dropcatch.com/domain/thornworth-physiotherapy.com", "bids": 0, "type": "pending_delete", "source": "market_d", "ends_at": "2026-11-25T21:00:00Z", "price_usd": null}, "metrics": {"backlinks": 3304, "link_rank": null, "trust_flow": 21, "tf_cf_ratio": 0.75, "archive_years": 12, "archived_urls": 10, "citation_flow": 28, "domain_rating": 43, "archive_last_year": 2026, "referring_domains": 236, "archive_first_year": 2015, "<vendor_d>_pagerank": 3.58, "<vendor_a>_authority_score": 17, "<vendor_b>_domain_authority": null, "<search_engine>_indexed_pages": null}, "verdict": "ok", "found_at": "2026-11-22T10:28:16Z", "language": "en", "report_url": "http://127.0.0.1:43601/domains/thornworth-physiotherapy.com", "revival_kit": {"url": "http://127.0.0.1:43601/api/v1/domains/thornworth-physiotherapy.com/pages", "pages": 7}, "risk_checks": [{"flag": "dr_inflated", "note": "The Domain Rating agrees with the other link figures that are known.", "label": "Inflated rating", "result": "clean", "severity": "risk"}, {"flag": "parked", "note": "No parking page among the captures that were read.", "label": "Parked", "result": "clean", "severity": "info"}, {"flag": "topic_change", "note": "The captures that were read are about one subject.", "label": "Change of subject", "result": "clean", "severity": "risk"}, {"flag": "lang_change", "note": "The captures that were read are in one language.", "label": "Change of language", "result": "clean", "severity": "risk"}, {"flag": "gap", "note": "The archive has a page from every year or every other between the first and the last.", "label": "Gap in the archive", "result": "clean", "severity": "info"}, {"flag": "trademark", "note": "The name carries no mark of the list.", "label": "Trademark", "result": "clean", "severity": "risk"}, {"flag": "not_indexed", "note": "The number of indexed pages is not known.", "label": "Not indexed", "result": "unknown", "severity": "info"}, {"flag": "anchor_foreign", "note": "Link texts are in the site''s language or name it.", "label": "Foreign link texts", "result": "clean", "severity": "risk"}], "score_notes": {}, "attributions": [{"url": "https://ahrefs.com/", "text": "Domain Rating by Ahrefs"}, {"url": "https://openpagerank.keywordseverywhere.com/", "text": "Open PageRank"}], "registration": null, "review_notes": [], "score_version": "2026-11-22", "webarchive_url": "http://127.0.0.1:39971/web/*/thornworth-physiotherapy.com", "score_breakdown": {"age": 0.9621, "price": null, "history": 1.0, "penalty": 0, "trust_flow": 0.7, "ref_domains": 0.7915, "<vendor_a>_as": 0.425, "<vendor_c>_dr": 0.86, "<vendor_d>_pagerank": 0.5967}, "topic_estimated": false, "rank_on_hunt_day": null, "score_confidence": 0.98, "topical_trust_flow": [{"topic": "Health/Medicine", "trust_flow": 21}, {"topic": "Reference/Directories", "trust_flow": 7}, {"topic": "Regional/Europe", "trust_flow": 4}], "top_referring_domains": ["brimcombeindex.com", "wrenmereweekly.com", "hollinmerenotes.com", "brimstowereview.org", "wetherstoweindex.org", "kestleighlink.com", "ostercombejournal.com", "tarrleighweekly.co.uk", "harrowstoweweekly.com", "selwcombeindex.net", "tarrleigharchive.co.uk", "kestleighreview.co.uk"]}', '{"state": "dropping", "statuses": ["client hold", "pending delete"], "registrar": "Blue Quay Names, Inc.", "expires_at": "2026-09-17T09:00:16Z", "registered_at": "2014-09-17T09:00:16Z"}', NULL, NULL, NULL, 1, NULL),
	('chk_01M81CSK8GTC1JPARZDJPBD0SY', 2, 'some-other-name.com', 'done', NULL, 1795343306, 1795343306, 1795343307, NULL, NULL, NULL, false, '["The web archive shows no capture.", "No link metric is known."]', '{"tld": "com", "open": false, "flags": [], "score": null, "title": null, "topic": null, "detail": "full", "domain": "some-other-name.com", "status": "available", "anchors": {"top": [], "spam_share": 0.0}, "history": {"eras": [], "captures": 0, "findings": [], "reviewed_at": "2026-11-22T10:28:26Z", "last_capture": null, "first_capture": null}, "listing": {"url": null, "bids": 0, "type": null, "source": null, "ends_at": null, "price_usd": null}, "metrics": {"backlinks": null, "link_rank": null, "trust_flow": null, "tf_cf_ratio": null, "archive_years": 0, "archived_urls": 0, "citation_flow": null, "domain_rating": null, "archive_last_year": null, "referring_domains": null, "archive_first_year": null, "<vendor_d>_pagerank": null, "<vendor_a>_authority_score": null, "<vendor_b>_domain_authority": null, "<search_engine>_indexed_pages": null}, "verdict": null, "found_at": null, "language": null, "report_url": "http://127.0.0.1:43601/checks/chk_01M81CSK8GTC1JPARZDJPBD0SY", "revival_kit": {"url": null, "pages": 0}, "risk_checks": [{"flag": "dr_inflated", "note": "No Domain Rating, or nothing to compare it with, is known.", "label": "Inflated rating", "result": "unknown", "severity": "risk"}, {"flag": "parked", "note": "No capture of the home page could be read.", "label": "Parked", "result": "unknown", "severity": "info"}, {"flag": "topic_change", "note": "Too few captures could be read to compare.", "label": "Change of subject", "result": "unknown", "severity": "risk"}, {"flag": "lang_change", "note": "Too few captures could be read to compare.", "label": "Change of language", "result": "unknown", "severity": "risk"}, {"flag": "gap", "note": "The archive shows no capture of a page.", "label": "Gap in the archive", "result": "unknown", "severity": "info"}, {"flag": "trademark", "note": "The name carries no mark of the list.", "label": "Trademark", "result": "clean", "severity": "risk"}, {"flag": "not_indexed", "note": "The number of indexed pages is not known.", "label": "Not indexed", "result": "unknown", "severity": "info"}, {"flag": "anchor_foreign", "note": "Link texts, or the site''s language, are not known well enough.", "label": "Foreign link texts", "result": "unknown", "severity": "risk"}], "score_notes": {}, "attributions": [], "registration": {"registrar": null, "checked_at": "2026-11-22T10:28:27Z", "expires_at": null, "availability": "available", "register_url": "https://www.iana.org/domains/root/db/com.html#some-other-name.com", "registered_at": null, "available_since": null, "caught_after_drop": false}, "review_notes": [], "score_version": "2026-11-22", "webarchive_url": "http://127.0.0.1:39971/web/*/some-other-name.com", "score_breakdown": {"age": null, "price": null, "history": null, "penalty": 0, "trust_flow": null, "ref_domains": null, "<vendor_a>_as": null, "<vendor_c>_dr": null, "<vendor_d>_pagerank": null}, "topic_estimated": false, "rank_on_hunt_day": null, "score_confidence": 0.6, "topical_trust_flow": null, "top_referring_domains": []}', '{"state": "available", "statuses": [], "registrar": null, "expires_at": null, "registered_at": null}', NULL, NULL, NULL, 1, NULL);
INSERT INTO public.credit_ledger VALUES
	(1, 1, 'welcome', 1, 'welcome', 'welcome:1', '2026-11', 1795343301),
	(2, 2, 'welcome', 1, 'welcome', 'welcome:2', '2026-11', 1795343301),
	(3, 3, 'welcome', 1, 'welcome', 'welcome:3', '2026-11', 1795343301),
	(4, 2, 'plan', -1, 'check', 'check:chk_01M81CSK8GTC1JPARZDJPBD0SV', '2026-11', 1795343306),
	(5, 2, 'plan', -1, 'check', 'check:chk_01M81CSK8GTC1JPARZDJPBD0SY', '2026-11', 1795343306);
INSERT INTO public.deliveries VALUES
	(1, 'evt_01M81CSJ98M9FBZ63N1SQV2GJ3', 1, 'alert.matched', 'pending', 404, 1, 1795343305, NULL, NULL, NULL, NULL, 1795343368, NULL, NULL, 1, 'answered 404'),
	(2, 'evt_01M81CSK8GTC1JPARZDJPBD0SW', 1, 'alert.matched', 'pending', 404, 1, 1795343306, NULL, NULL, NULL, NULL, 1795343369, NULL, NULL, 1, 'answered 404'),
	(3, 'evt_01M81CSK8GTC1JPARZDJPBD0SX', 1, 'alert.matched', 'pending', 404, 1, 1795343306, NULL, NULL, NULL, NULL, 1795343367, NULL, NULL, 1, 'answered 404'),
	(4, 'evt_01M81CSK8GTC1JPARZDJPBD0T0', 1, 'check.completed', 'pending', 404, 1, 1795343306, NULL, NULL, NULL, NULL, 1795343370, NULL, NULL, 1, 'answered 404'),
	(5, 'evt_01M81CSM7R5Z2ZF7M4RGRXTJCW', 1, 'check.completed', 'pending', 404, 1, 1795343307, NULL, NULL, NULL, NULL, 1795343369, NULL, NULL, 1, 'answered 404');
INSERT INTO public.domains VALUES
	('caldstowenursery.com', 'com', 1, 1795084083, '2026-11-19', 3, 'en', 'Caldstowe Plant Nursery – hardy perennials and fruit trees, Ballarat', 'caldstowenursery.com
caldstowenursery.com
caldstowe plant nursery – hardy perennials and fruit trees, ballarat', 13, 2014, 2026, false, 'registered', false, 1795343298, NULL, NULL, 'Harbourlight Domains Ltd.', 1382428800, 1855814400, '127.0.0.1:36045', '2028-11-26', false, 1795948098, 1795343298, NULL, NULL, '2026-11-19', false, NULL, NULL, 1795256883, 78, 'ok', '[]', 0, 'Home', 44, 19, 21, 123, 'market_c', 'bid', 515, 10, 1795256883, 'https://www.dynadot.com/market/auction/caldstowenursery.com', 1795256883, NULL, NULL, '{"anchors": {"top": [{"text": "Caldstowe Plant Nursery", "referring_domains": 31}, {"text": "caldstowenursery.com", "referring_domains": 26}, {"text": "www.caldstowenursery.com", "referring_domains": 15}, {"text": "Caldstowe", "referring_domains": 13}, {"text": "visit site", "referring_domains": 10}, {"text": "link", "referring_domains": 9}, {"text": "source", "referring_domains": 8}, {"text": "Peat-free potting compost", "referring_domains": 6}, {"text": "Old shrub roses", "referring_domains": 5}], "spam_share": 0.0}, "history": {"eras": [{"end": "2026-10-08T18:25:09Z", "url": "http://127.0.0.1:39971/web/20261008182509/https://caldstowenursery.com/", "days": 4414, "kind": "site", "brand": ["ballarat", "caldstowe", "fruit", "hardy"], "start": "2014-09-08T15:29:28Z", "title": "Caldstowe Plant Nursery – hardy perennials and fruit trees, Ballarat", "topic": null, "detail": null, "captures": 37, "language": "en"}], "captures": 84, "findings": [], "reviewed_at": "2026-11-19T10:28:03Z", "last_capture": "2026-10-09T06:01:41Z", "first_capture": "2014-09-08T15:29:28Z"}, "metrics": {"backlinks": 3321, "link_rank": null, "tf_cf_ratio": 0.9, "archived_urls": 9, "<vendor_d>_pagerank": 3.66, "<vendor_a>_authority_score": 28, "<vendor_b>_domain_authority": null, "<search_engine>_indexed_pages": null}, "risk_checks": [{"flag": "dr_inflated", "note": "The Domain Rating agrees with the other link figures that are known.", "label": "Inflated rating", "result": "clean", "severity": "risk"}, {"flag": "parked", "note": "No parking page among the captures that were read.", "label": "Parked", "result": "clean", "severity": "info"}, {"flag": "topic_change", "note": "The captures that were read are about one subject.", "label": "Change of subject", "result": "clean", "severity": "risk"}, {"flag": "lang_change", "note": "The captures that were read are in one language.", "label": "Change of language", "result": "clean", "severity": "risk"}, {"flag": "gap", "note": "The archive has a page from every year or every other between the first and the last.", "label": "Gap in the archive", "result": "clean", "severity": "info"}, {"flag": "trademark", "note": "The name carries no mark of the list.", "label": "Trademark", "result": "clean", "severity": "risk"}, {"flag": "not_indexed", "note": "The number of indexed pages is not known.", "label": "Not indexed", "result": "unknown", "severity": "info"}, {"flag": "anchor_foreign", "note": "Link texts are in the site''s language or name it.", "label": "Foreign link texts", "result": "clean", "severity": "risk"}], "score_notes": {}, "attributions": [{"url": "https://ahrefs.com/", "text": "Domain Rating by Ahrefs"}, {"url": "https://openpagerank.keywordseverywhere.com/", "text": "Open PageRank"}], "review_notes": [], "revival_pages": 7, "score_version": "2026-11-22", "score_breakdown": {"age": 1.0, "price": 0.4117, "history": 1.0, "penalty": 0, "trust_flow": 0.6333, "ref_domains": 0.6977, "<vendor_a>_as": 0.7, "<vendor_c>_dr": 0.88, "<vendor_d>_pagerank": 0.61}, "topic_estimated": false, "score_confidence": 1.0, "topical_trust_flow": [{"topic": "Home/Gardening", "trust_flow": 19}, {"topic": "Reference/Directories", "trust_flow": 6}, {"topic": "Regional/Europe", "trust_flow": 3}], "top_referring_domains": ["thorncombearchive.net", "harrowmereindex.org", "selwcombearchive.net", "harrowworthindex.co.uk", "brimstoweguide.co.uk", "marlmerejournal.com", "stokewortharchive.com", "ashcombearchive.co.uk", "caldcombenotes.co.uk", "wrenleighnotes.org", "larchcombereview.org", "brimfieldlink.com"]}'),
	('nursery-stokeridge.io', 'io', 1, 1795084083, '2026-11-19', 1, 'en', 'Stokeridge Plant Nursery – hardy perennials and fruit trees, Ballarat', 'nursery-stokeridge.io
nursery-stokeridge.io
stokeridge plant nursery – hardy perennials and fruit trees, ballarat', 17, 2007, 2026, false, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, '2026-11-19', false, NULL, NULL, 1795084083, 85, 'ok', '["gap"]', 1, 'Home', 62, 27, 31, 575, 'market_f', 'auction', 821, 0, 1795888800, 'https://park.io/auctions/view/nursery-stokeridge.io', 1795888800, NULL, NULL, '{"anchors": {"top": [{"text": "Stokeridge Plant Nursery", "referring_domains": 144}, {"text": "nursery-stokeridge.io", "referring_domains": 120}, {"text": "www.nursery-stokeridge.io", "referring_domains": 72}, {"text": "Stokeridge", "referring_domains": 60}, {"text": "link", "referring_domains": 48}, {"text": "visit site", "referring_domains": 42}, {"text": "website", "referring_domains": 36}, {"text": "Hardy perennials in two-litre pots", "referring_domains": 30}, {"text": "Border planning at your home", "referring_domains": 24}], "spam_share": 0.0}, "history": {"eras": [{"end": "2026-08-27T09:34:00Z", "url": "http://127.0.0.1:39971/web/20260827093400/https://www.nursery-stokeridge.io/", "days": 6537, "kind": "site", "brand": ["ballarat", "fruit", "hardy", "nursery"], "start": "2007-06-25T01:25:42Z", "title": "Stokeridge Plant Nursery – hardy perennials and fruit trees, Ballarat", "topic": null, "detail": null, "captures": 49, "language": "en"}], "captures": 109, "findings": [{"at": null, "url": "http://127.0.0.1:39971/web/*/nursery-stokeridge.io", "code": "gap", "note": "No page was archived in 2015–2017 (3 whole years), between captures of 2014 and 2018.", "rule": "", "zone": "", "quote": "", "lexicon": "", "category": "", "severity": 1}], "reviewed_at": "2026-11-19T10:28:03Z", "last_capture": "2026-08-27T09:34:00Z", "first_capture": "2007-06-25T01:25:42Z"}, "metrics": {"backlinks": 13800, "link_rank": null, "tf_cf_ratio": 0.87, "archived_urls": 15, "<vendor_d>_pagerank": null, "<vendor_a>_authority_score": 37, "<vendor_b>_domain_authority": 44, "<search_engine>_indexed_pages": null}, "risk_checks": [{"flag": "dr_inflated", "note": "The Domain Rating agrees with the other link figures that are known.", "label": "Inflated rating", "result": "clean", "severity": "risk"}, {"flag": "parked", "note": "No parking page among the captures that were read.", "label": "Parked", "result": "clean", "severity": "info"}, {"flag": "topic_change", "note": "The captures that were read are about one subject.", "label": "Change of subject", "result": "clean", "severity": "risk"}, {"flag": "lang_change", "note": "The captures that were read are in one language.", "label": "Change of language", "result": "clean", "severity": "risk"}, {"flag": "gap", "note": "No page was archived in 2015–2017 (3 whole years), between captures of 2014 and 2018 (http://127.0.0.1:39971/web/*/nursery-stokeridge.io).", "label": "Gap in the archive", "result": "found", "severity": "info"}, {"flag": "trademark", "note": "The name carries no mark of the list.", "label": "Trademark", "result": "clean", "severity": "risk"}, {"flag": "not_indexed", "note": "The number of indexed pages is not known.", "label": "Not indexed", "result": "unknown", "severity": "info"}, {"flag": "anchor_foreign", "note": "Link texts are in the site''s language or name it.", "label": "Foreign link texts", "result": "clean", "severity": "risk"}], "score_notes": {}, "attributions": [{"url": "https://ahrefs.com/", "text": "Domain Rating by Ahrefs"}], "review_notes": [], "revival_pages": 13, "score_version": "2026-11-22", "score_breakdown": {"age": 1.0, "price": 0.3272, "history": 0.85, "penalty": 0.032, "trust_flow": 0.9, "ref_domains": 0.92, "<vendor_a>_as": 0.925, "<vendor_c>_dr": 1.0, "<vendor_d>_pagerank": null}, "topic_estimated": false, "score_confidence": 0.98, "topical_trust_flow": [{"topic": "Home/Gardening", "trust_flow": 27}, {"topic": "Reference/Directories", "trust_flow": 9}, {"topic": "Regional/Europe", "trust_flow": 5}], "top_referring_domains": ["brammerereview.co.uk", "keststoweforum.org", "aldercombejournal.org", "tarrmerereview.net", "wrenfieldforum.org", "selwfieldnotes.net", "wethermerearchive.org", "kestcombeportal.org", "quarnworthportal.net", "quarnstoweportal.org", "tarrworthlink.co.uk", "bramfieldarchive.co.uk"]}'),
	('stokebourneengineering.com', 'com', 1, 1795084083, '2026-11-19', 6, 'en', 'Stokebourne Engineering Ltd – precision turning and gear cutting, Taunton', 'stokebourneengineering.com
stokebourneengineering.com
stokebourne engineering ltd – precision turning and gear cutting, taunton', 18, 2009, 2026, false, 'registered', false, 1795343297, NULL, NULL, 'Blue Quay Names, Inc.', 1224348300, 1823877900, '127.0.0.1:36045', '2026-12-27', false, 1795429697, NULL, NULL, NULL, '2026-11-20', false, NULL, NULL, 1795256883, 75, 'ok', '[]', 0, 'Business', 38, 19, 28, 196, 'market_a', 'bid', 183, 9, 1795286700, 'https://www.godaddy.com/domain-auctions/stokebourneengineering-com-278750384?isc=json_biddable', 1795286700, NULL, NULL, '{"anchors": {"top": [{"text": "Stokebourne Engineering Ltd", "referring_domains": 49}, {"text": "stokebourneengineering.com", "referring_domains": 41}, {"text": "www.stokebourneengineering.com", "referring_domains": 24}, {"text": "Stokebourne", "referring_domains": 20}, {"text": "here", "referring_domains": 16}, {"text": "visit site", "referring_domains": 14}, {"text": "link", "referring_domains": 12}, {"text": "CNC turning up to 400 mm", "referring_domains": 10}, {"text": "24-hour breakdown service", "referring_domains": 8}], "spam_share": 0.0}, "history": {"eras": [{"end": "2026-04-19T15:47:41Z", "url": "http://127.0.0.1:39971/web/20260419154741/https://www.stokebourneengineering.com/", "days": 6068, "kind": "site", "brand": ["cutting", "engineering", "gear", "precision"], "start": "2009-09-08T05:32:11Z", "title": "Stokebourne Engineering Ltd – precision turning and gear cutting, Taunton", "topic": "Business", "detail": null, "captures": 55, "language": "en"}], "captures": 125, "findings": [], "reviewed_at": "2026-11-19T10:28:03Z", "last_capture": "2026-10-04T05:45:46Z", "first_capture": "2009-09-08T05:32:11Z"}, "metrics": {"backlinks": 4116, "link_rank": null, "tf_cf_ratio": 0.68, "archived_urls": 10, "<vendor_d>_pagerank": 3.65, "<vendor_a>_authority_score": null, "<vendor_b>_domain_authority": 31, "<search_engine>_indexed_pages": null}, "risk_checks": [{"flag": "dr_inflated", "note": "The Domain Rating agrees with the other link figures that are known.", "label": "Inflated rating", "result": "clean", "severity": "risk"}, {"flag": "parked", "note": "No parking page among the captures that were read.", "label": "Parked", "result": "clean", "severity": "info"}, {"flag": "topic_change", "note": "The captures that were read are about one subject.", "label": "Change of subject", "result": "clean", "severity": "risk"}, {"flag": "lang_change", "note": "The captures that were read are in one language.", "label": "Change of language", "result": "clean", "severity": "risk"}, {"flag": "gap", "note": "The archive has a page from every year or every other between the first and the last.", "label": "Gap in the archive", "result": "clean", "severity": "info"}, {"flag": "trademark", "note": "The name carries no mark of the list.", "label": "Trademark", "result": "clean", "severity": "risk"}, {"flag": "not_indexed", "note": "The number of indexed pages is not known.", "label": "Not indexed", "result": "unknown", "severity": "info"}, {"flag": "anchor_foreign", "note": "Link texts are in the site''s language or name it.", "label": "Foreign link texts", "result": "clean", "severity": "risk"}], "score_notes": {}, "attributions": [{"url": "https://ahrefs.com/", "text": "Domain Rating by Ahrefs"}, {"url": "https://openpagerank.keywordseverywhere.com/", "text": "Open PageRank"}], "review_notes": [], "revival_pages": 7, "score_version": "2026-11-22", "score_breakdown": {"age": 1.0, "price": 0.5991, "history": 1.0, "penalty": 0, "trust_flow": 0.6333, "ref_domains": 0.7647, "<vendor_a>_as": null, "<vendor_c>_dr": 0.76, "<vendor_d>_pagerank": 0.6083}, "topic_estimated": false, "score_confidence": 0.96, "topical_trust_flow": [{"topic": "Business/Industrial Goods and Services", "trust_flow": 19}, {"topic": "Reference/Directories", "trust_flow": 6}, {"topic": "Regional/Europe", "trust_flow": 3}], "top_referring_domains": ["brimstoweindex.org", "wrenleighportal.com", "larchleighnotes.com", "kestcombeindex.org", "quarncombeportal.co.uk", "wethermereportal.org", "marlmerenotes.org", "tarrstoweindex.net", "wrenmereindex.co.uk", "bramfieldportal.co.uk", "hollinstowenotes.org", "ashleighindex.org"]}'),
	('thornworth-physiotherapy.com', 'com', 1, 1795343296, '2026-11-22', 1, 'en', 'Thornworth Physiotherapy Practice – treatment and rehabilitation in Madison', 'thornworth-physiotherapy.com
thornworth-physiotherapy.com
thornworth physiotherapy practice – treatment and rehabilitation in madison', 12, 2015, 2026, false, NULL, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, NULL, NULL, NULL, NULL, '2026-11-22', true, NULL, NULL, 1795343296, 77, 'ok', '[]', 0, 'Health', 43, 21, 28, 236, 'market_d', 'pending_delete', NULL, 0, 1795640400, 'https://www.dropcatch.com/domain/thornworth-physiotherapy.com', 1795640400, NULL, NULL, '{"anchors": {"top": [{"text": "Thornworth Physiotherapy Practice", "referring_domains": 59}, {"text": "thornworth-physiotherapy.com", "referring_domains": 49}, {"text": "www.thornworth-physiotherapy.com", "referring_domains": 29}, {"text": "Thornworth", "referring_domains": 25}, {"text": "source", "referring_domains": 20}, {"text": "here", "referring_domains": 17}, {"text": "website", "referring_domains": 15}, {"text": "Assessment of back and neck pain", "referring_domains": 12}, {"text": "Home visits", "referring_domains": 10}], "spam_share": 0.0}, "history": {"eras": [{"end": "2015-05-07T10:41:16Z", "url": "http://127.0.0.1:39971/web/20150507104116/http://www.thornworth-physiotherapy.com/", "days": 35, "kind": "parked", "brand": ["coming", "physiotherapy", "soon", "thornworth"], "start": "2015-05-07T10:41:16Z", "title": "thornworth-physiotherapy.com – Coming Soon", "topic": null, "detail": "coming_soon", "captures": 1, "language": "en"}, {"end": "2026-04-06T18:27:22Z", "url": "http://127.0.0.1:39971/web/20260406182722/https://thornworth-physiotherapy.com/", "days": 3953, "kind": "site", "brand": ["madison", "physiotherapy", "practice", "rehabilitation"], "start": "2015-06-11T16:38:34Z", "title": "Thornworth Physiotherapy Practice – treatment and rehabilitation in Madison", "topic": "Health", "detail": null, "captures": 31, "language": "en"}], "captures": 82, "findings": [{"at": "2015-05-07T10:41:16Z", "url": "http://127.0.0.1:39971/web/20150507104116/http://www.thornworth-physiotherapy.com/", "code": "parking_phrase", "note": "The home page of 2015-05-07 has coming-soon content in its title: “thornworth-physiotherapy.com – Coming Soon”.", "rule": "parking.phrase: coming soon", "zone": "title", "quote": "thornworth-physiotherapy.com – Coming Soon", "lexicon": "2026.11.3", "category": "coming_soon", "severity": 1}, {"at": "2015-05-07T10:41:16Z", "url": "http://127.0.0.1:39971/web/20150507104116/http://www.thornworth-physiotherapy.com/", "code": "parking_phrase", "note": "The home page of 2015-05-07 has coming-soon content in its text: “Our new website is under construction. Please”.", "rule": "parking.phrase: website is under construction", "zone": "body", "quote": "Our new website is under construction. Please", "lexicon": "2026.11.3", "category": "coming_soon", "severity": 1}], "reviewed_at": "2026-11-22T10:28:16Z", "last_capture": "2026-08-22T12:43:49Z", "first_capture": "2015-05-07T10:41:16Z"}, "metrics": {"backlinks": 3304, "link_rank": null, "tf_cf_ratio": 0.75, "archived_urls": 10, "<vendor_d>_pagerank": 3.58, "<vendor_a>_authority_score": 17, "<vendor_b>_domain_authority": null, "<search_engine>_indexed_pages": null}, "risk_checks": [{"flag": "dr_inflated", "note": "The Domain Rating agrees with the other link figures that are known.", "label": "Inflated rating", "result": "clean", "severity": "risk"}, {"flag": "parked", "note": "No parking page among the captures that were read.", "label": "Parked", "result": "clean", "severity": "info"}, {"flag": "topic_change", "note": "The captures that were read are about one subject.", "label": "Change of subject", "result": "clean", "severity": "risk"}, {"flag": "lang_change", "note": "The captures that were read are in one language.", "label": "Change of language", "result": "clean", "severity": "risk"}, {"flag": "gap", "note": "The archive has a page from every year or every other between the first and the last.", "label": "Gap in the archive", "result": "clean", "severity": "info"}, {"flag": "trademark", "note": "The name carries no mark of the list.", "label": "Trademark", "result": "clean", "severity": "risk"}, {"flag": "not_indexed", "note": "The number of indexed pages is not known.", "label": "Not indexed", "result": "unknown", "severity": "info"}, {"flag": "anchor_foreign", "note": "Link texts are in the site''s language or name it.", "label": "Foreign link texts", "result": "clean", "severity": "risk"}], "score_notes": {}, "attributions": [{"url": "https://ahrefs.com/", "text": "Domain Rating by Ahrefs"}, {"url": "https://openpagerank.keywordseverywhere.com/", "text": "Open PageRank"}], "review_notes": [], "revival_pages": 7, "score_version": "2026-11-22", "score_breakdown": {"age": 0.9621, "price": null, "history": 1.0, "penalty": 0, "trust_flow": 0.7, "ref_domains": 0.7915, "<vendor_a>_as": 0.425, "<vendor_c>_dr": 0.86, "<vendor_d>_pagerank": 0.5967}, "topic_estimated": false, "score_confidence": 0.98, "topical_trust_flow": [{"topic": "Health/Medicine", "trust_flow": 21}, {"topic": "Reference/Directories", "trust_flow": 7}, {"topic": "Regional/Europe", "trust_flow": 4}], "top_referring_domains": ["brimcombeindex.com", "wrenmereweekly.com", "hollinmerenotes.com", "brimstowereview.org", "wetherstoweindex.org", "kestleighlink.com", "ostercombejournal.com", "tarrleighweekly.co.uk", "harrowstoweweekly.com", "selwcombeindex.net", "tarrleigharchive.co.uk", "kestleighreview.co.uk"]}');
INSERT INTO public.drop_notices VALUES
	(2, 'software-caldfield.com', 1, 1795343306);
INSERT INTO public.events VALUES
	('evt_01M81CSJ98M9FBZ63N1SQV2GJ2', 2, 'alert.matched', 'match:1:vinhos-monteclara.org:1', 1795343305, NULL, '\x7b226964223a226576745f30314d383143534a39384d3946425a36334e3153515632474a32222c2274797065223a22616c6572742e6d617463686564222c22637265617465645f6174223a22323032362d31312d32325431303a32383a32355a222c2264617461223a7b22616c657274223a7b226964223a312c226e616d65223a22416c6c20676f6f64206e616d6573227d2c22646f6d61696e223a7b22646f6d61696e223a2276696e686f732d6d6f6e7465636c6172612e6f7267222c22746c64223a226f7267222c22737461747573223a226c6973746564222c2273636f7265223a37352c2276657264696374223a226f6b222c22666c616773223a5b5d2c22746f706963223a22427573696e657373222c226c616e6775616765223a227074222c227469746c65223a224164656761204d6f6e7465636c61726120e280932076696e686f732064652074616c68612065207669736974617320656d20c389766f7261222c226d657472696373223a7b22646f6d61696e5f726174696e67223a33392c22726566657272696e675f646f6d61696e73223a3330372c22617263686976655f7965617273223a392c22617263686976655f66697273745f79656172223a323031382c22617263686976655f6c6173745f79656172223a323032362c2274727573745f666c6f77223a31392c226369746174696f6e5f666c6f77223a32367d2c226c697374696e67223a7b22736f75726365223a226d61726b65745f61222c2274797065223a22626964222c2270726963655f757364223a35302c2262696473223a302c22656e64735f6174223a22323032362d31312d32355432313a32353a30305a222c2275726c223a2268747470733a2f2f7777772e676f64616464792e636f6d2f646f6d61696e2d61756374696f6e732f76696e686f732d6d6f6e7465636c6172612d6f72672d3830363434343731353f6973633d6a736f6e5f6269646461626c65227d2c22666f756e645f6174223a22323032362d31312d32305431303a32383a30335a222c226f70656e223a66616c73652c2264657461696c223a2266756c6c222c227265706f72745f75726c223a22687474703a2f2f3132372e302e302e313a34333630312f646f6d61696e732f76696e686f732d6d6f6e7465636c6172612e6f7267227d7d7d'),
	('evt_01M81CSJ98M9FBZ63N1SQV2GJ3', 2, 'alert.matched', 'match:1:santaclarabiblioteca.xyz:1', 1795343305, NULL, '\x7b226964223a226576745f30314d383143534a39384d3946425a36334e3153515632474a33222c2274797065223a22616c6572742e6d617463686564222c22637265617465645f6174223a22323032362d31312d32325431303a32383a32355a222c2264617461223a7b22616c657274223a7b226964223a312c226e616d65223a22416c6c20676f6f64206e616d6573227d2c22646f6d61696e223a7b22646f6d61696e223a2273616e7461636c6172616269626c696f746563612e78797a222c22746c64223a2278797a222c22737461747573223a226c6973746564222c2273636f7265223a37302c2276657264696374223a226f6b222c22666c616773223a5b5d2c22746f706963223a225265666572656e6365222c226c616e6775616765223a226573222c227469746c65223a224269626c696f746563612053616e7461636c61726120e28093206172636869766f2c20636174c3a16c6f676f20792073616c61206465206c65637475726120656e20526f6e6461222c226d657472696373223a7b22646f6d61696e5f726174696e67223a33302c22726566657272696e675f646f6d61696e73223a3238362c22617263686976655f7965617273223a31322c22617263686976655f66697273745f79656172223a323031352c22617263686976655f6c6173745f79656172223a323032362c2274727573745f666c6f77223a31392c226369746174696f6e5f666c6f77223a32387d2c226c697374696e67223a7b22736f75726365223a226d61726b65745f62222c2274797065223a226275795f6e6f77222c2270726963655f757364223a313332312c2262696473223a302c22656e64735f6174223a6e756c6c2c2275726c223a2268747470733a2f2f7777772e6e616d6563686561702e636f6d2f646f6d61696e732f726567697374726174696f6e2f726573756c74732f3f646f6d61696e3d73616e7461636c6172616269626c696f746563612e78797a227d2c22666f756e645f6174223a22323032362d31312d32325431303a32383a31365a222c226f70656e223a747275652c2264657461696c223a2266756c6c222c227265706f72745f75726c223a22687474703a2f2f3132372e302e302e313a34333630312f646f6d61696e732f73616e7461636c6172616269626c696f746563612e78797a227d7d7d'),
	('evt_01M81CSK8GTC1JPARZDJPBD0SW', 2, 'alert.matched', 'match:1:muhlbach-sternwarte.de:1', 1795343306, NULL, '\x7b226964223a226576745f30314d383143534b38475443314a5041525a444a504244305357222c2274797065223a22616c6572742e6d617463686564222c22637265617465645f6174223a22323032362d31312d32325431303a32383a32365a222c2264617461223a7b22616c657274223a7b226964223a312c226e616d65223a22416c6c20676f6f64206e616d6573227d2c22646f6d61696e223a7b22646f6d61696e223a226d75686c626163682d737465726e77617274652e6465222c22746c64223a226465222c22737461747573223a226c6973746564222c2273636f7265223a36392c2276657264696374223a226f6b222c22666c616773223a5b5d2c22746f706963223a22536369656e6365222c226c616e6775616765223a226465222c227469746c65223a22537465726e7761727465204dc3bc686c6261636820e280932046c3bc6872756e67656e20756e642042656f6261636874756e67656e20626569204d617262757267222c226d657472696373223a7b22646f6d61696e5f726174696e67223a32382c22726566657272696e675f646f6d61696e73223a3230392c22617263686976655f7965617273223a31362c22617263686976655f66697273745f79656172223a323031312c22617263686976655f6c6173745f79656172223a323032362c2274727573745f666c6f77223a31382c226369746174696f6e5f666c6f77223a32327d2c226c697374696e67223a7b22736f75726365223a226d61726b65745f65222c2274797065223a2261756374696f6e222c2270726963655f757364223a3836332c2262696473223a312c22656e64735f6174223a22323032362d31312d32375431353a32303a30305a222c2275726c223a2268747470733a2f2f7365646f2e636f6d2f7365617263682f64657461696c732f3f646f6d61696e3d6d75686c626163682d737465726e77617274652e6465227d2c22666f756e645f6174223a22323032362d31312d32325431303a32383a31365a222c226f70656e223a747275652c2264657461696c223a2266756c6c222c227265706f72745f75726c223a22687474703a2f2f3132372e302e302e313a34333630312f646f6d61696e732f6d75686c626163682d737465726e77617274652e6465227d7d7d'),
	('evt_01M81CSK8GTC1JPARZDJPBD0SX', 2, 'alert.matched', 'match:1:thornworth-physiotherapy.com:1', 1795343306, NULL, '\x7b226964223a226576745f30314d383143534b38475443314a5041525a444a504244305358222c2274797065223a22616c6572742e6d617463686564222c22637265617465645f6174223a22323032362d31312d32325431303a32383a32365a222c2264617461223a7b22616c657274223a7b226964223a312c226e616d65223a22416c6c20676f6f64206e616d6573227d2c22646f6d61696e223a7b22646f6d61696e223a2274686f726e776f7274682d70687973696f746865726170792e636f6d222c22746c64223a22636f6d222c22737461747573223a2270656e64696e675f64656c657465222c2273636f7265223a37372c2276657264696374223a226f6b222c22666c616773223a5b5d2c22746f706963223a224865616c7468222c226c616e6775616765223a22656e222c227469746c65223a2254686f726e776f7274682050687973696f7468657261707920507261637469636520e280932074726561746d656e7420616e64207265686162696c69746174696f6e20696e204d616469736f6e222c226d657472696373223a7b22646f6d61696e5f726174696e67223a34332c22726566657272696e675f646f6d61696e73223a3233362c22617263686976655f7965617273223a31322c22617263686976655f66697273745f79656172223a323031352c22617263686976655f6c6173745f79656172223a323032362c2274727573745f666c6f77223a32312c226369746174696f6e5f666c6f77223a32387d2c226c697374696e67223a7b22736f75726365223a226d61726b65745f64222c2274797065223a2270656e64696e675f64656c657465222c2270726963655f757364223a6e756c6c2c2262696473223a302c22656e64735f6174223a22323032362d31312d32355432313a30303a30305a222c2275726c223a2268747470733a2f2f7777772e64726f7063617463682e636f6d2f646f6d61696e2f74686f726e776f7274682d70687973696f746865726170792e636f6d227d2c22666f756e645f6174223a22323032362d31312d32325431303a32383a31365a222c226f70656e223a747275652c2264657461696c223a2266756c6c222c227265706f72745f75726c223a22687474703a2f2f3132372e302e302e313a34333630312f646f6d61696e732f74686f726e776f7274682d70687973696f746865726170792e636f6d227d7d7d'),
	('evt_01M81CSK8GTC1JPARZDJPBD0SZ', 2, 'domain.available', 'available:2:software-caldfield.com:1', 1795343306, NULL, '\x7b226964223a226576745f30314d383143534b38475443314a5041525a444a50424430535a222c2274797065223a22646f6d61696e2e617661696c61626c65222c22637265617465645f6174223a22323032362d31312d32325431303a32383a32365a222c2264617461223a7b22646f6d61696e223a7b22646f6d61696e223a22736f6674776172652d63616c646669656c642e636f6d222c22746c64223a22636f6d222c22737461747573223a22617661696c61626c65222c2273636f7265223a37382c2276657264696374223a226f6b222c22666c616773223a5b5d2c22746f706963223a22436f6d707574657273222c226c616e6775616765223a22656e222c227469746c65223a2243616c646669656c6420536f66747761726520e2809320746f6f6c7320666f722072656164696e6720616e6420636865636b696e6720646174612066696c6573222c226d657472696373223a7b22646f6d61696e5f726174696e67223a33322c22726566657272696e675f646f6d61696e73223a3138332c22617263686976655f7965617273223a31342c22617263686976655f66697273745f79656172223a323031332c22617263686976655f6c6173745f79656172223a323032362c2274727573745f666c6f77223a32332c226369746174696f6e5f666c6f77223a32357d2c226c697374696e67223a7b22736f75726365223a226d61726b65745f64222c2274797065223a2270656e64696e675f64656c657465222c2270726963655f757364223a6e756c6c2c2262696473223a302c22656e64735f6174223a22323032362d31312d32315432313a30303a30305a222c2275726c223a2268747470733a2f2f7777772e69616e612e6f72672f646f6d61696e732f726f6f742f64622f636f6d2e68746d6c23736f6674776172652d63616c646669656c642e636f6d227d2c22666f756e645f6174223a22323032362d31312d31395431303a32383a30335a222c226f70656e223a66616c73652c2264657461696c223a2266756c6c222c227265706f72745f75726c223a22687474703a2f2f3132372e302e302e313a34333630312f646f6d61696e732f736f6674776172652d63616c646669656c642e636f6d227d2c22726567697374726174696f6e223a7b22617661696c6162696c697479223a22617661696c61626c65222c22636865636b65645f6174223a22323032362d31312d32325431303a32383a32315a222c22617661696c61626c655f73696e6365223a22323032362d31312d32325431303a32383a31375a222c2272656769737465725f75726c223a2268747470733a2f2f7777772e69616e612e6f72672f646f6d61696e732f726f6f742f64622f636f6d2e68746d6c23736f6674776172652d63616c646669656c642e636f6d222c22726567697374726172223a6e756c6c2c22726567697374657265645f6174223a6e756c6c2c22657870697265735f6174223a6e756c6c2c226361756768745f61667465725f64726f70223a66616c73657d7d7d'),
	('evt_01M81CSK8GTC1JPARZDJPBD0T0', 2, 'check.completed', 'check:chk_01M81CSK8GTC1JPARZDJPBD0SV', 1795343306, NULL, '\x7b226964223a226576745f30314d383143534b38475443314a5041525a444a504244305430222c2274797065223a22636865636b2e636f6d706c65746564222c22637265617465645f6174223a22323032362d31312d32325431303a32383a32365a222c2264617461223a7b22636865636b223a7b226964223a2263686b5f30314d383143534b38475443314a5041525a444a504244305356222c22646f6d61696e223a2274686f726e776f7274682d70687973696f746865726170792e636f6d222c22737461747573223a22646f6e65222c22637265617465645f6174223a22323032362d31312d32325431303a32383a32365a222c2266696e69736865645f6174223a22323032362d31312d32325431303a32383a32365a222c2273636f7265223a37372c2276657264696374223a226f6b222c227265706f72745f75726c223a22687474703a2f2f3132372e302e302e313a34333630312f636865636b732f63686b5f30314d383143534b38475443314a5041525a444a504244305356227d7d7d'),
	('evt_01M81CSM7R5Z2ZF7M4RGRXTJCW', 2, 'check.completed', 'check:chk_01M81CSK8GTC1JPARZDJPBD0SY', 1795343307, NULL, '\x7b226964223a226576745f30314d383143534d3752355a325a46374d3452475258544a4357222c2274797065223a22636865636b2e636f6d706c65746564222c22637265617465645f6174223a22323032362d31312d32325431303a32383a32375a222c2264617461223a7b22636865636b223a7b226964223a2263686b5f30314d383143534b38475443314a5041525a444a504244305359222c22646f6d61696e223a22736f6d652d6f746865722d6e616d652e636f6d222c22737461747573223a22646f6e65222c22637265617465645f6174223a22323032362d31312d32325431303a32383a32365a222c2266696e69736865645f6174223a22323032362d31312d32325431303a32383a32375a222c2273636f7265223a6e756c6c2c2276657264696374223a6e756c6c2c227265706f72745f75726c223a22687474703a2f2f3132372e302e302e313a34333630312f636865636b732f63686b5f30314d383143534b38475443314a5041525a444a504244305359227d7d7d');
INSERT INTO public.exchange_rates VALUES
	('USD', 1, '2026-11-20', 1795343295),
	('JPY', 151.510539940828, '2026-11-20', 1795343295),
	('GBP', 0.787536982249, '2026-11-20', 1795343295),
	('CHF', 0.890347633136, '2026-11-20', 1795343295),
	('SEK', 10.41336908284, '2026-11-20', 1795343295),
	('PLN', 3.942862426036, '2026-11-20', 1795343295),
	('DKK', 6.886556952663, '2026-11-20', 1795343295),
	('EUR', 0.924556213018, '2026-11-20', 1795343295);
INSERT INTO public.host_pace VALUES
	('127.0.0.1:39971/cdx', 1795343306.6846702, 0, NULL),
	('127.0.0.1:37145', 1795343307.2384844, 0, NULL),
	('127.0.0.1:39971', 1795343312.0360043, 0, NULL),
	('127.0.0.1:36363', 1795343298.0652916, 0, NULL),
	('127.0.0.1:36045', 1795343306.6526964, 0, NULL);
INSERT INTO public.job_runs VALUES
	('scan', 1795276800, 'vm:6298:5313eb', NULL, 1795343301, 1795343301, 1, NULL, NULL),
	('turn', 1795343280, 'vm:6298:5313eb', NULL, 1795343304, 1795343305, 1, '{"turned": 0}', NULL),
	('expire', 1795343280, 'vm:6298:5313eb', NULL, 1795343304, 1795343305, 1, '{"expired": 0}', NULL),
	('digest', 1795342500, 'vm:6298:5313eb', NULL, 1795343304, 1795343305, 1, '{"mails": 0}', NULL),
	('alerts', 1795343280, 'vm:6298:5313eb', NULL, 1795343304, 1795343305, 1, '{"mails": 0}', NULL),
	('recheck', 1795343100, 'vm:6298:5313eb', NULL, 1795343304, 1795343305, 1, '{}', NULL),
	('reminders', 1795343280, 'vm:6298:5313eb', NULL, 1795343304, 1795343305, 1, '{"reminders": 0}', NULL),
	('prune', 1795342620, 'vm:6298:5313eb', NULL, 1795343304, 1795343305, 1, '{}', NULL);
INSERT INTO public.listings VALUES
	(16, 'market_d', 'dropcatch_dropping', 'https://www.dropcatch.com/domain/thornworth-physiotherapy.com', 'thornworth-physiotherapy.com', 'pending_delete', NULL, NULL, 0, 1795640400, 1795640400, false, 'https://www.dropcatch.com/domain/thornworth-physiotherapy.com', false, NULL, 1795343295, 1795343295, 38, NULL),
	(7, 'market_f', 'parkio_auctions', 'https://park.io/auctions/view/nursery-stokeridge.io', 'nursery-stokeridge.io', 'auction', 821, NULL, 0, 1795888800, 1795888800, false, 'https://park.io/auctions/view/nursery-stokeridge.io', false, NULL, 1795084083, 1795343295, 41, NULL),
	(1, 'market_a', 'godaddy_auctions', '278750384', 'stokebourneengineering.com', 'bid', 183, NULL, 9, 1795286700, 1795286700, false, 'https://www.godaddy.com/domain-auctions/stokebourneengineering-com-278750384?isc=json_biddable', false, NULL, 1795084083, 1795256883, 23, NULL),
	(2, 'market_c', 'dynadot_auctions', 'https://www.dynadot.com/market/auction/caldstowenursery.com', 'caldstowenursery.com', 'bid', 515, NULL, 10, 1795543200, 1795543200, false, 'https://www.dynadot.com/market/auction/caldstowenursery.com', false, NULL, 1795084083, 1795170483, 15, 1795256883);
INSERT INTO public.metric_values VALUES
	('stokebourneengineering.com', 'trust_flow', 'feed:godaddy_auctions', '19', 1795084083, false, NULL),
	('stokebourneengineering.com', 'citation_flow', 'feed:godaddy_auctions', '28', 1795084083, false, NULL),
	('stokebourneengineering.com', 'referring_domains', 'feed:godaddy_auctions', '196', 1795084083, false, NULL),
	('stokebourneengineering.com', 'backlinks', 'feed:godaddy_auctions', '4116', 1795084083, false, NULL),
	('caldstowenursery.com', 'domain_rating', 'ahrefs_free', '44', 1795084083, false, '{"url": "https://ahrefs.com/", "text": "Domain Rating by Ahrefs"}'),
	('caldstowenursery.com', 'vendor_d_pagerank', 'open_pagerank', '3.66', 1795084083, false, '{"url": "https://openpagerank.keywordseverywhere.com/", "text": "Open PageRank"}'),
	('caldstowenursery.com', 'trust_flow', 'majestic', '19', 1795084083, false, NULL),
	('caldstowenursery.com', 'citation_flow', 'majestic', '21', 1795084083, false, NULL),
	('caldstowenursery.com', 'referring_domains', 'majestic', '123', 1795084083, false, NULL),
	('caldstowenursery.com', 'backlinks', 'majestic', '3321', 1795084083, false, NULL),
	('caldstowenursery.com', 'topic', 'majestic', '"Home"', 1795084083, false, NULL),
	('caldstowenursery.com', 'topical_trust_flow', 'majestic', '[{"topic": "Home/Gardening", "trust_flow": 19}, {"topic": "Reference/Directories", "trust_flow": 6}, {"topic": "Regional/Europe", "trust_flow": 3}]', 1795084083, false, NULL),
	('nursery-stokeridge.io', 'domain_rating', 'ahrefs_free', '62', 1795084083, false, '{"url": "https://ahrefs.com/", "text": "Domain Rating by Ahrefs"}'),
	('nursery-stokeridge.io', 'trust_flow', 'majestic', '27', 1795084083, false, NULL),
	('nursery-stokeridge.io', 'citation_flow', 'majestic', '31', 1795084083, false, NULL),
	('nursery-stokeridge.io', 'referring_domains', 'majestic', '575', 1795084083, false, NULL),
	('nursery-stokeridge.io', 'backlinks', 'majestic', '13800', 1795084083, false, NULL),
	('nursery-stokeridge.io', 'topic', 'majestic', '"Home"', 1795084083, false, NULL),
	('nursery-stokeridge.io', 'topical_trust_flow', 'majestic', '[{"topic": "Home/Gardening", "trust_flow": 27}, {"topic": "Reference/Directories", "trust_flow": 9}, {"topic": "Regional/Europe", "trust_flow": 5}]', 1795084083, false, NULL),
	('caldstowenursery.com', 'vendor_a_authority_score', 'semrush', '28', 1795084083, false, NULL),
	('caldstowenursery.com', 'backlinks', 'semrush', '3321', 1795084083, false, NULL),
	('caldstowenursery.com', 'anchors', 'majestic_anchors', '[{"text": "Caldstowe Plant Nursery", "referring_domains": 31}, {"text": "caldstowenursery.com", "referring_domains": 26}, {"text": "www.caldstowenursery.com", "referring_domains": 15}, {"text": "Caldstowe", "referring_domains": 13}, {"text": "visit site", "referring_domains": 10}, {"text": "link", "referring_domains": 9}, {"text": "source", "referring_domains": 8}, {"text": "Peat-free potting compost", "referring_domains": 6}, {"text": "Old shrub roses", "referring_domains": 5}]', 1795084083, false, NULL),
	('caldstowenursery.com', 'top_referring_domains', 'majestic_ref_domains', '["thorncombearchive.net", "harrowmereindex.org", "selwcombearchive.net", "harrowworthindex.co.uk", "brimstoweguide.co.uk", "marlmerejournal.com", "stokewortharchive.com", "ashcombearchive.co.uk", "caldcombenotes.co.uk", "wrenleighnotes.org", "larchcombereview.org", "brimfieldlink.com"]', 1795084083, false, NULL),
	('nursery-stokeridge.io', 'vendor_b_domain_authority', 'moz_links', '44', 1795084083, false, NULL),
	('nursery-stokeridge.io', 'referring_domains', 'moz_links', '575', 1795084083, false, NULL),
	('nursery-stokeridge.io', 'backlinks', 'moz_links', '13800', 1795084083, false, NULL),
	('nursery-stokeridge.io', 'vendor_a_authority_score', 'semrush', '37', 1795084083, false, NULL),
	('nursery-stokeridge.io', 'backlinks', 'semrush', '13800', 1795084083, false, NULL),
	('nursery-stokeridge.io', 'anchors', 'majestic_anchors', '[{"text": "Stokeridge Plant Nursery", "referring_domains": 144}, {"text": "nursery-stokeridge.io", "referring_domains": 120}, {"text": "www.nursery-stokeridge.io", "referring_domains": 72}, {"text": "Stokeridge", "referring_domains": 60}, {"text": "link", "referring_domains": 48}, {"text": "visit site", "referring_domains": 42}, {"text": "website", "referring_domains": 36}, {"text": "Hardy perennials in two-litre pots", "referring_domains": 30}, {"text": "Border planning at your home", "referring_domains": 24}]', 1795084083, false, NULL),
	('nursery-stokeridge.io', 'top_referring_domains', 'majestic_ref_domains', '["brammerereview.co.uk", "keststoweforum.org", "aldercombejournal.org", "tarrmerereview.net", "wrenfieldforum.org", "selwfieldnotes.net", "wethermerearchive.org", "kestcombeportal.org", "quarnworthportal.net", "quarnstoweportal.org", "tarrworthlink.co.uk", "bramfieldarchive.co.uk"]', 1795084083, false, NULL),
	('stokebourneengineering.com', 'domain_rating', 'ahrefs_free', '38', 1795084083, false, '{"url": "https://ahrefs.com/", "text": "Domain Rating by Ahrefs"}'),
	('stokebourneengineering.com', 'vendor_d_pagerank', 'open_pagerank', '3.65', 1795084083, false, '{"url": "https://openpagerank.keywordseverywhere.com/", "text": "Open PageRank"}'),
	('stokebourneengineering.com', 'trust_flow', 'majestic', '19', 1795084083, false, NULL),
	('stokebourneengineering.com', 'citation_flow', 'majestic', '28', 1795084083, false, NULL),
	('stokebourneengineering.com', 'referring_domains', 'majestic', '196', 1795084083, false, NULL),
	('stokebourneengineering.com', 'backlinks', 'majestic', '4116', 1795084083, false, NULL),
	('stokebourneengineering.com', 'topic', 'majestic', '"Business"', 1795084083, false, NULL),
	('stokebourneengineering.com', 'topical_trust_flow', 'majestic', '[{"topic": "Business/Industrial Goods and Services", "trust_flow": 19}, {"topic": "Reference/Directories", "trust_flow": 6}, {"topic": "Regional/Europe", "trust_flow": 3}]', 1795084083, false, NULL),
	('stokebourneengineering.com', 'vendor_b_domain_authority', 'moz_links', '31', 1795084083, false, NULL),
	('stokebourneengineering.com', 'referring_domains', 'moz_links', '196', 1795084083, false, NULL),
	('stokebourneengineering.com', 'backlinks', 'moz_links', '4116', 1795084083, false, NULL),
	('stokebourneengineering.com', 'anchors', 'majestic_anchors', '[{"text": "Stokebourne Engineering Ltd", "referring_domains": 49}, {"text": "stokebourneengineering.com", "referring_domains": 41}, {"text": "www.stokebourneengineering.com", "referring_domains": 24}, {"text": "Stokebourne", "referring_domains": 20}, {"text": "here", "referring_domains": 16}, {"text": "visit site", "referring_domains": 14}, {"text": "link", "referring_domains": 12}, {"text": "CNC turning up to 400 mm", "referring_domains": 10}, {"text": "24-hour breakdown service", "referring_domains": 8}]', 1795084083, false, NULL),
	('stokebourneengineering.com', 'top_referring_domains', 'majestic_ref_domains', '["brimstoweindex.org", "wrenleighportal.com", "larchleighnotes.com", "kestcombeindex.org", "quarncombeportal.co.uk", "wethermereportal.org", "marlmerenotes.org", "tarrstoweindex.net", "wrenmereindex.co.uk", "bramfieldportal.co.uk", "hollinstowenotes.org", "ashleighindex.org"]', 1795084083, false, NULL),
	('thornworth-physiotherapy.com', 'domain_rating', 'ahrefs_free', '43', 1795343296, false, '{"url": "https://ahrefs.com/", "text": "Domain Rating by Ahrefs"}'),
	('thornworth-physiotherapy.com', 'vendor_d_pagerank', 'open_pagerank', '3.58', 1795343296, false, '{"url": "https://openpagerank.keywordseverywhere.com/", "text": "Open PageRank"}'),
	('thornworth-physiotherapy.com', 'trust_flow', 'majestic', '21', 1795343296, false, NULL),
	('thornworth-physiotherapy.com', 'citation_flow', 'majestic', '28', 1795343296, false, NULL),
	('thornworth-physiotherapy.com', 'referring_domains', 'majestic', '236', 1795343296, false, NULL),
	('thornworth-physiotherapy.com', 'backlinks', 'majestic', '3304', 1795343296, false, NULL),
	('thornworth-physiotherapy.com', 'topic', 'majestic', '"Health"', 1795343296, false, NULL);
INSERT INTO public.metric_values VALUES
	('thornworth-physiotherapy.com', 'topical_trust_flow', 'majestic', '[{"topic": "Health/Medicine", "trust_flow": 21}, {"topic": "Reference/Directories", "trust_flow": 7}, {"topic": "Regional/Europe", "trust_flow": 4}]', 1795343296, false, NULL),
	('thornworth-physiotherapy.com', 'vendor_a_authority_score', 'semrush', '17', 1795343297, false, NULL),
	('thornworth-physiotherapy.com', 'backlinks', 'semrush', '3304', 1795343297, false, NULL),
	('thornworth-physiotherapy.com', 'anchors', 'majestic_anchors', '[{"text": "Thornworth Physiotherapy Practice", "referring_domains": 59}, {"text": "thornworth-physiotherapy.com", "referring_domains": 49}, {"text": "www.thornworth-physiotherapy.com", "referring_domains": 29}, {"text": "Thornworth", "referring_domains": 25}, {"text": "source", "referring_domains": 20}, {"text": "here", "referring_domains": 17}, {"text": "website", "referring_domains": 15}, {"text": "Assessment of back and neck pain", "referring_domains": 12}, {"text": "Home visits", "referring_domains": 10}]', 1795343297, false, NULL),
	('thornworth-physiotherapy.com', 'top_referring_domains', 'majestic_ref_domains', '["brimcombeindex.com", "wrenmereweekly.com", "hollinmerenotes.com", "brimstowereview.org", "wetherstoweindex.org", "kestleighlink.com", "ostercombejournal.com", "tarrleighweekly.co.uk", "harrowstoweweekly.com", "selwcombeindex.net", "tarrleigharchive.co.uk", "kestleighreview.co.uk"]', 1795343297, false, NULL);
INSERT INTO public.open_domains VALUES
	('nursery-stokeridge.io', '2026-11-19'),
	('caldstowenursery.com', '2026-11-19'),
	('stokebourneengineering.com', '2026-11-20'),
	('thornworth-physiotherapy.com', '2026-11-22');
INSERT INTO public.open_draws VALUES
	('2026-11-19', 1795084083, 1),
	('2026-11-20', 1795170483, 2),
	('2026-11-21', 1795256883, 3),
	('2026-11-22', 1795343297, 4);
INSERT INTO public.provider_answers VALUES
	('ahrefs_free', 'caldstowenursery.com', 1795084083, true, '{"domain_rating": 44}'),
	('open_pagerank', 'caldstowenursery.com', 1795084083, true, '{"vendor_d_pagerank": 3.66}'),
	('majestic', 'caldstowenursery.com', 1795084083, true, '{"topic": "Home", "backlinks": 3321, "trust_flow": 19, "citation_flow": 21, "referring_domains": 123, "topical_trust_flow": [{"topic": "Home/Gardening", "trust_flow": 19}, {"topic": "Reference/Directories", "trust_flow": 6}, {"topic": "Regional/Europe", "trust_flow": 3}]}'),
	('ahrefs_free', 'nursery-stokeridge.io', 1795084083, true, '{"domain_rating": 62}'),
	('open_pagerank', 'nursery-stokeridge.io', 1795084083, false, '{}'),
	('majestic', 'nursery-stokeridge.io', 1795084083, true, '{"topic": "Home", "backlinks": 13800, "trust_flow": 27, "citation_flow": 31, "referring_domains": 575, "topical_trust_flow": [{"topic": "Home/Gardening", "trust_flow": 27}, {"topic": "Reference/Directories", "trust_flow": 9}, {"topic": "Regional/Europe", "trust_flow": 5}]}'),
	('ahrefs_free', 'stokebourneengineering.com', 1795084083, true, '{"domain_rating": 38}'),
	('open_pagerank', 'stokebourneengineering.com', 1795084083, true, '{"vendor_d_pagerank": 3.65}'),
	('majestic', 'stokebourneengineering.com', 1795084083, true, '{"topic": "Business", "backlinks": 4116, "trust_flow": 19, "citation_flow": 28, "referring_domains": 196, "topical_trust_flow": [{"topic": "Business/Industrial Goods and Services", "trust_flow": 19}, {"topic": "Reference/Directories", "trust_flow": 6}, {"topic": "Regional/Europe", "trust_flow": 3}]}'),
	('moz_links', 'caldstowenursery.com', 1795084083, true, '{}'),
	('moz_links', 'nursery-stokeridge.io', 1795084083, true, '{"backlinks": 13800, "referring_domains": 575, "vendor_b_domain_authority": 44}'),
	('moz_links', 'stokebourneengineering.com', 1795084083, true, '{"backlinks": 4116, "referring_domains": 196, "vendor_b_domain_authority": 31}'),
	('semrush', 'caldstowenursery.com', 1795084083, true, '{"backlinks": 3321, "vendor_a_authority_score": 28}'),
	('semrush', 'nursery-stokeridge.io', 1795084083, true, '{"backlinks": 13800, "vendor_a_authority_score": 37}'),
	('semrush', 'stokebourneengineering.com', 1795084083, false, '{}'),
	('majestic_anchors', 'caldstowenursery.com', 1795084083, true, '{"anchors": [{"text": "Caldstowe Plant Nursery", "referring_domains": 31}, {"text": "caldstowenursery.com", "referring_domains": 26}, {"text": "www.caldstowenursery.com", "referring_domains": 15}, {"text": "Caldstowe", "referring_domains": 13}, {"text": "visit site", "referring_domains": 10}, {"text": "link", "referring_domains": 9}, {"text": "source", "referring_domains": 8}, {"text": "Peat-free potting compost", "referring_domains": 6}, {"text": "Old shrub roses", "referring_domains": 5}]}'),
	('open_pagerank', 'thornworth-physiotherapy.com', 1795343296, true, '{"vendor_d_pagerank": 3.58}'),
	('majestic_anchors', 'nursery-stokeridge.io', 1795084083, true, '{"anchors": [{"text": "Stokeridge Plant Nursery", "referring_domains": 144}, {"text": "nursery-stokeridge.io", "referring_domains": 120}, {"text": "www.nursery-stokeridge.io", "referring_domains": 72}, {"text": "Stokeridge", "referring_domains": 60}, {"text": "link", "referring_domains": 48}, {"text": "visit site", "referring_domains": 42}, {"text": "website", "referring_domains": 36}, {"text": "Hardy perennials in two-litre pots", "referring_domains": 30}, {"text": "Border planning at your home", "referring_domains": 24}]}'),
	('semrush', 'thornworth-physiotherapy.com', 1795343297, true, '{"backlinks": 3304, "vendor_a_authority_score": 17}'),
	('majestic_ref_domains', 'caldstowenursery.com', 1795084083, true, '{"top_referring_domains": ["thorncombearchive.net", "harrowmereindex.org", "selwcombearchive.net", "harrowworthindex.co.uk", "brimstoweguide.co.uk", "marlmerejournal.com", "stokewortharchive.com", "ashcombearchive.co.uk", "caldcombenotes.co.uk", "wrenleighnotes.org", "larchcombereview.org", "brimfieldlink.com"]}'),
	('majestic_ref_domains', 'nursery-stokeridge.io', 1795084083, true, '{"top_referring_domains": ["brammerereview.co.uk", "keststoweforum.org", "aldercombejournal.org", "tarrmerereview.net", "wrenfieldforum.org", "selwfieldnotes.net", "wethermerearchive.org", "kestcombeportal.org", "quarnworthportal.net", "quarnstoweportal.org", "tarrworthlink.co.uk", "bramfieldarchive.co.uk"]}'),
	('moz_links', 'thornworth-physiotherapy.com', 1795343297, true, '{}'),
	('majestic_anchors', 'stokebourneengineering.com', 1795084083, true, '{"anchors": [{"text": "Stokebourne Engineering Ltd", "referring_domains": 49}, {"text": "stokebourneengineering.com", "referring_domains": 41}, {"text": "www.stokebourneengineering.com", "referring_domains": 24}, {"text": "Stokebourne", "referring_domains": 20}, {"text": "here", "referring_domains": 16}, {"text": "visit site", "referring_domains": 14}, {"text": "link", "referring_domains": 12}, {"text": "CNC turning up to 400 mm", "referring_domains": 10}, {"text": "24-hour breakdown service", "referring_domains": 8}]}'),
	('majestic', 'thornworth-physiotherapy.com', 1795343296, true, '{"topic": "Health", "backlinks": 3304, "trust_flow": 21, "citation_flow": 28, "referring_domains": 236, "topical_trust_flow": [{"topic": "Health/Medicine", "trust_flow": 21}, {"topic": "Reference/Directories", "trust_flow": 7}, {"topic": "Regional/Europe", "trust_flow": 4}]}'),
	('majestic_ref_domains', 'stokebourneengineering.com', 1795084083, true, '{"top_referring_domains": ["brimstoweindex.org", "wrenleighportal.com", "larchleighnotes.com", "kestcombeindex.org", "quarncombeportal.co.uk", "wethermereportal.org", "marlmerenotes.org", "tarrstoweindex.net", "wrenmereindex.co.uk", "bramfieldportal.co.uk", "hollinstowenotes.org", "ashleighindex.org"]}'),
	('ahrefs_free', 'thornworth-physiotherapy.com', 1795343296, true, '{"domain_rating": 43}'),
	('majestic_anchors', 'thornworth-physiotherapy.com', 1795343297, true, '{"anchors": [{"text": "Thornworth Physiotherapy Practice", "referring_domains": 59}, {"text": "thornworth-physiotherapy.com", "referring_domains": 49}, {"text": "www.thornworth-physiotherapy.com", "referring_domains": 29}, {"text": "Thornworth", "referring_domains": 25}, {"text": "source", "referring_domains": 20}, {"text": "here", "referring_domains": 17}, {"text": "website", "referring_domains": 15}, {"text": "Assessment of back and neck pain", "referring_domains": 12}, {"text": "Home visits", "referring_domains": 10}]}'),
	('majestic_ref_domains', 'thornworth-physiotherapy.com', 1795343297, true, '{"top_referring_domains": ["brimcombeindex.com", "wrenmereweekly.com", "hollinmerenotes.com", "brimstowereview.org", "wetherstoweindex.org", "kestleighlink.com", "ostercombejournal.com", "tarrleighweekly.co.uk", "harrowstoweweekly.com", "selwcombeindex.net", "tarrleigharchive.co.uk", "kestleighreview.co.uk"]}');
INSERT INTO public.provider_spend VALUES
	('majestic_ref_domains', '2026-11-20', 1),
	('moz_links', '2026-11-20', 2),
	('majestic_anchors', '2026-11-20', 2),
	('ahrefs_free', '2026-11-19', 8),
	('open_pagerank', '2026-11-19', 8),
	('majestic', '2026-11-19', 7),
	('moz_links', '2026-11-19', 6),
	('semrush', '2026-11-19', 240),
	('ahrefs_free', '2026-11', 14),
	('ahrefs_free', '2026-11-22', 4),
	('open_pagerank', '2026-11', 14),
	('open_pagerank', '2026-11-22', 4),
	('majestic', '2026-11', 13),
	('majestic', '2026-11-22', 4),
	('moz_links', '2026-11', 12),
	('moz_links', '2026-11-22', 4),
	('semrush', '2026-11', 440),
	('semrush', '2026-11-22', 160),
	('majestic_anchors', '2026-11-19', 6),
	('majestic_anchors', '2026-11', 12),
	('majestic_anchors', '2026-11-22', 4),
	('majestic_ref_domains', '2026-11', 11),
	('majestic_ref_domains', '2026-11-22', 4),
	('majestic_ref_domains', '2026-11-19', 6),
	('ahrefs_free', '2026-11-20', 2),
	('semrush', '2026-11-20', 40),
	('open_pagerank', '2026-11-20', 2),
	('majestic', '2026-11-20', 2);
INSERT INTO public.registry_passes VALUES
	('127.0.0.1:36045', 1795255200, 1, 0, false),
	('127.0.0.1:36363', 1795341600, 1, 0, false),
	('127.0.0.1:36045', 1795341600, 5, 1, false);
INSERT INTO public.reviews VALUES
	('caldstowenursery.com', 1795084083, 1797676083, false, '{"eras": [{"end": "2026-10-08T18:25:09Z", "url": "http://127.0.0.1:39971/web/20261008182509/https://caldstowenursery.com/", "days": 4414, "kind": "site", "brand": ["ballarat", "caldstowe", "fruit", "hardy"], "start": "2014-09-08T15:29:28Z", "title": "Caldstowe Plant Nursery – hardy perennials and fruit trees, Ballarat", "topic": null, "detail": null, "captures": 37, "language": "en"}], "read": [{"at": "2014-09-08T15:29:28Z", "url": "http://127.0.0.1:39971/web/20140908152928/http://www.caldstowenursery.com/", "kind": "site", "title": "Caldstowe Plant Nursery – hardy perennials and fruit trees, Ballarat", "words": 277, "detail": null, "language": "en"}, {"at": "2016-10-01T14:58:09Z", "url": "http://127.0.0.1:39971/web/20161001145809/http://caldstowenursery.com:80/", "kind": "site", "title": "Caldstowe Plant Nursery – hardy perennials and fruit trees, Ballarat", "words": 289, "detail": null, "language": "en"}, {"at": "2018-12-19T03:06:00Z", "url": "http://127.0.0.1:39971/web/20181219030600/https://caldstowenursery.com/", "kind": "site", "title": "Caldstowe Plant Nursery – hardy perennials and fruit trees, Ballarat", "words": 291, "detail": null, "language": "en"}, {"at": "2020-12-21T15:59:06Z", "url": "http://127.0.0.1:39971/web/20201221155906/https://www.caldstowenursery.com/", "kind": "site", "title": "Caldstowe Plant Nursery – hardy perennials and fruit trees, Ballarat", "words": 291, "detail": null, "language": "en"}, {"at": "2023-03-01T02:30:52Z", "url": "http://127.0.0.1:39971/web/20230301023052/https://www.caldstowenursery.com/", "kind": "site", "title": "Caldstowe Plant Nursery – hardy perennials and fruit trees, Ballarat", "words": 289, "detail": null, "language": "en"}, {"at": "2023-10-16T13:19:06Z", "url": "http://127.0.0.1:39971/web/20231016131906/https://caldstowenursery.com/", "kind": "site", "title": "Caldstowe Plant Nursery – hardy perennials and fruit trees, Ballarat", "words": 289, "detail": null, "language": "en"}, {"at": "2026-04-26T08:33:18Z", "url": "http://127.0.0.1:39971/web/20260426083318/https://caldstowenursery.com/", "kind": "site", "title": "Caldstowe Plant Nursery – hardy perennials and fruit trees, Ballarat", "words": 291, "detail": null, "language": "en"}, {"at": "2026-10-08T18:25:09Z", "url": "http://127.0.0.1:39971/web/20261008182509/https://caldstowenursery.com/", "kind": "site", "title": "Caldstowe Plant Nursery – hardy perennials and fruit trees, Ballarat", "words": 287, "detail": null, "language": "en"}], "notes": [], "pages": [{"url": "http://www.caldstowenursery.com/", "path": "/", "captures": 37, "timestamp": "20261008182509", "last_capture": "2026-10-08"}, {"url": "http://caldstowenursery.com/news/pruning-a-neglected-apple-tree", "path": "/news/pruning-a-neglected-apple-tree", "captures": 8, "timestamp": "20260805085125", "last_capture": "2026-08-05"}, {"url": "https://www.caldstowenursery.com/news/when-to-divide-hardy-geraniums", "path": "/news/when-to-divide-hardy-geraniums", "captures": 7, "timestamp": "20240822061200", "last_capture": "2024-08-22"}, {"url": "http://caldstowenursery.com/services", "path": "/services", "captures": 7, "timestamp": "20261009060141", "last_capture": "2026-10-09"}, {"url": "http://www.caldstowenursery.com/contact", "path": "/contact", "captures": 6, "timestamp": "20220723185115", "last_capture": "2022-07-23"}, {"url": "https://caldstowenursery.com/about", "path": "/about", "captures": 5, "timestamp": "20261001013808", "last_capture": "2026-10-01"}, {"url": "http://caldstowenursery.com:80/news/what-the-late-frost-taught-us", "path": "/news/what-the-late-frost-taught-us", "captures": 5, "timestamp": "20251227163057", "last_capture": "2025-12-27"}], "title": "Caldstowe Plant Nursery – hardy perennials and fruit trees, Ballarat", "topic": null, "domain": "caldstowenursery.com", "blocked": false, "outcome": "ok", "reasons": [], "captures": 84, "findings": [], "language": "en", "last_year": 2026, "first_year": 2014, "good_years": [2014, 2015, 2016, 2017, 2018, 2019, 2020, 2021, 2022, 2023, 2024, 2025, 2026], "reviewed_at": "2026-11-19T10:28:03Z", "honest_years": [2014, 2015, 2016, 2017, 2018, 2019, 2020, 2021, 2022, 2023, 2024, 2025, 2026], "last_capture": "2026-10-09T06:01:41Z", "parked_share": 0.0, "parked_years": [], "archive_years": 13, "archived_urls": 9, "first_capture": "2014-09-08T15:29:28Z"}'),
	('nursery-stokeridge.io', 1795084083, 1797676083, false, '{"eras": [{"end": "2026-08-27T09:34:00Z", "url": "http://127.0.0.1:39971/web/20260827093400/https://www.nursery-stokeridge.io/", "days": 6537, "kind": "site", "brand": ["ballarat", "fruit", "hardy", "nursery"], "start": "2007-06-25T01:25:42Z", "title": "Stokeridge Plant Nursery – hardy perennials and fruit trees, Ballarat", "topic": null, "detail": null, "captures": 49, "language": "en"}], "read": [{"at": "2007-06-25T01:25:42Z", "url": "http://127.0.0.1:39971/web/20070625012542/http://nursery-stokeridge.io/", "kind": "site", "title": "Stokeridge Plant Nursery – hardy perennials and fruit trees, Ballarat", "words": 277, "detail": null, "language": "en"}, {"at": "2011-06-19T10:39:25Z", "url": "http://127.0.0.1:39971/web/20110619103925/http://www.nursery-stokeridge.io:80/", "kind": "site", "title": "Stokeridge Plant Nursery – hardy perennials and fruit trees, Ballarat", "words": 275, "detail": null, "language": "en"}, {"at": "2014-12-17T07:42:23Z", "url": "http://127.0.0.1:39971/web/20141217074223/http://nursery-stokeridge.io/", "kind": "site", "title": "Stokeridge Plant Nursery – hardy perennials and fruit trees, Ballarat", "words": 273, "detail": null, "language": "en"}, {"at": "2018-03-28T12:49:49Z", "url": "http://127.0.0.1:39971/web/20180328124949/https://nursery-stokeridge.io/", "kind": "site", "title": "Stokeridge Plant Nursery – hardy perennials and fruit trees, Ballarat", "words": 291, "detail": null, "language": "en"}, {"at": "2020-05-03T11:00:24Z", "url": "http://127.0.0.1:39971/web/20200503110024/https://www.nursery-stokeridge.io/", "kind": "site", "title": "Stokeridge Plant Nursery – hardy perennials and fruit trees, Ballarat", "words": 289, "detail": null, "language": "en"}, {"at": "2022-06-06T12:50:03Z", "url": "http://127.0.0.1:39971/web/20220606125003/https://www.nursery-stokeridge.io/", "kind": "site", "title": "Stokeridge Plant Nursery – hardy perennials and fruit trees, Ballarat", "words": 289, "detail": null, "language": "en"}, {"at": "2025-08-15T21:26:22Z", "url": "http://127.0.0.1:39971/web/20250815212622/https://www.nursery-stokeridge.io/", "kind": "site", "title": "Stokeridge Plant Nursery – hardy perennials and fruit trees, Ballarat", "words": 287, "detail": null, "language": "en"}, {"at": "2026-08-27T09:34:00Z", "url": "http://127.0.0.1:39971/web/20260827093400/https://www.nursery-stokeridge.io/", "kind": "site", "title": "Stokeridge Plant Nursery – hardy perennials and fruit trees, Ballarat", "words": 289, "detail": null, "language": "en"}], "notes": [], "pages": [{"url": "http://nursery-stokeridge.io/", "path": "/", "captures": 49, "timestamp": "20260827093400", "last_capture": "2026-08-27"}, {"url": "http://www.nursery-stokeridge.io/news/when-to-divide-hardy-geraniums.html", "path": "/news/when-to-divide-hardy-geraniums.html", "captures": 7, "timestamp": "20140528170304", "last_capture": "2014-05-28"}, {"url": "http://nursery-stokeridge.io/about.html", "path": "/about.html", "captures": 5, "timestamp": "20130715041917", "last_capture": "2013-07-15"}, {"url": "http://nursery-stokeridge.io/news/pruning-a-neglected-apple-tree.html", "path": "/news/pruning-a-neglected-apple-tree.html", "captures": 5, "timestamp": "20141212044828", "last_capture": "2014-12-12"}, {"url": "http://nursery-stokeridge.io/services", "path": "/services", "captures": 5, "timestamp": "20260619165507", "last_capture": "2026-06-19"}, {"url": "http://nursery-stokeridge.io/contact", "path": "/contact", "captures": 4, "timestamp": "20260331134404", "last_capture": "2026-03-31"}, {"url": "https://www.nursery-stokeridge.io/news/what-the-late-frost-taught-us", "path": "/news/what-the-late-frost-taught-us", "captures": 4, "timestamp": "20260221031016", "last_capture": "2026-02-21"}, {"url": "https://nursery-stokeridge.io/news/when-to-divide-hardy-geraniums", "path": "/news/when-to-divide-hardy-geraniums", "captures": 4, "timestamp": "20240319004913", "last_capture": "2024-03-19"}, {"url": "http://www.nursery-stokeridge.io/services.html", "path": "/services.html", "captures": 4, "timestamp": "20140515040336", "last_capture": "2014-05-15"}, {"url": "https://nursery-stokeridge.io/about", "path": "/about", "captures": 3, "timestamp": "20260328015115", "last_capture": "2026-03-28"}, {"url": "http://nursery-stokeridge.io:80/contact.html", "path": "/contact.html", "captures": 3, "timestamp": "20130220061946", "last_capture": "2013-02-20"}, {"url": "http://nursery-stokeridge.io:80/news/what-the-late-frost-taught-us.html", "path": "/news/what-the-late-frost-taught-us.html", "captures": 3, "timestamp": "20101012201426", "last_capture": "2010-10-12"}, {"url": "https://nursery-stokeridge.io/news/pruning-a-neglected-apple-tree", "path": "/news/pruning-a-neglected-apple-tree", "captures": 2, "timestamp": "20251129215703", "last_capture": "2025-11-29"}], "title": "Stokeridge Plant Nursery – hardy perennials and fruit trees, Ballarat", "topic": null, "domain": "nursery-stokeridge.io", "blocked": false, "outcome": "ok", "reasons": [], "captures": 109, "findings": [{"at": null, "url": "http://127.0.0.1:39971/web/*/nursery-stokeridge.io", "code": "gap", "note": "No page was archived in 2015–2017 (3 whole years), between captures of 2014 and 2018.", "rule": "", "zone": "", "quote": "", "lexicon": "", "category": "", "severity": 1}], "language": "en", "last_year": 2026, "first_year": 2007, "good_years": [2007, 2008, 2009, 2010, 2011, 2012, 2013, 2014, 2018, 2019, 2020, 2021, 2022, 2023, 2024, 2025, 2026], "reviewed_at": "2026-11-19T10:28:03Z", "honest_years": [2007, 2008, 2009, 2010, 2011, 2012, 2013, 2014, 2018, 2019, 2020, 2021, 2022, 2023, 2024, 2025, 2026], "last_capture": "2026-08-27T09:34:00Z", "parked_share": 0.0, "parked_years": [], "archive_years": 17, "archived_urls": 15, "first_capture": "2007-06-25T01:25:42Z"}'),
	('stokebourneengineering.com', 1795084083, 1797676083, false, '{"eras": [{"end": "2026-04-19T15:47:41Z", "url": "http://127.0.0.1:39971/web/20260419154741/https://www.stokebourneengineering.com/", "days": 6068, "kind": "site", "brand": ["cutting", "engineering", "gear", "precision"], "start": "2009-09-08T05:32:11Z", "title": "Stokebourne Engineering Ltd – precision turning and gear cutting, Taunton", "topic": "Business", "detail": null, "captures": 55, "language": "en"}], "read": [{"at": "2009-09-08T05:32:11Z", "url": "http://127.0.0.1:39971/web/20090908053211/http://stokebourneengineering.com:80/", "kind": "site", "title": "Stokebourne Engineering Ltd – precision turning and gear cutting, Taunton", "words": 262, "detail": null, "language": "en"}, {"at": "2013-10-31T08:41:28Z", "url": "http://127.0.0.1:39971/web/20131031084128/http://stokebourneengineering.com/", "kind": "site", "title": "Stokebourne Engineering Ltd – precision turning and gear cutting, Taunton", "words": 266, "detail": null, "language": "en"}, {"at": "2018-03-02T09:31:47Z", "url": "http://127.0.0.1:39971/web/20180302093147/https://stokebourneengineering.com/", "kind": "site", "title": "Stokebourne Engineering Ltd – precision turning and gear cutting, Taunton", "words": 277, "detail": null, "language": "en"}, {"at": "2019-02-28T06:11:51Z", "url": "http://127.0.0.1:39971/web/20190228061151/https://www.stokebourneengineering.com/", "kind": "site", "title": "Stokebourne Engineering Ltd – precision turning and gear cutting, Taunton", "words": 279, "detail": null, "language": "en"}, {"at": "2019-07-14T10:49:20Z", "url": "http://127.0.0.1:39971/web/20190714104920/https://www.stokebourneengineering.com/", "kind": "site", "title": "Stokebourne Engineering Ltd – precision turning and gear cutting, Taunton", "words": 278, "detail": null, "language": "en"}, {"at": "2022-09-16T04:10:51Z", "url": "http://127.0.0.1:39971/web/20220916041051/https://www.stokebourneengineering.com/", "kind": "site", "title": "Stokebourne Engineering Ltd – precision turning and gear cutting, Taunton", "words": 277, "detail": null, "language": "en"}, {"at": "2025-10-09T23:52:33Z", "url": "http://127.0.0.1:39971/web/20251009235233/https://stokebourneengineering.com/", "kind": "site", "title": "Stokebourne Engineering Ltd – precision turning and gear cutting, Taunton", "words": 278, "detail": null, "language": "en"}, {"at": "2026-04-19T15:47:41Z", "url": "http://127.0.0.1:39971/web/20260419154741/https://www.stokebourneengineering.com/", "kind": "site", "title": "Stokebourne Engineering Ltd – precision turning and gear cutting, Taunton", "words": 275, "detail": null, "language": "en"}], "notes": [], "pages": [{"url": "http://stokebourneengineering.com:80/", "path": "/", "captures": 55, "timestamp": "20260419154741", "last_capture": "2026-04-19"}, {"url": "http://stokebourneengineering.com:80/news/which-steel-for-sea-water", "path": "/news/which-steel-for-sea-water", "captures": 14, "timestamp": "20260730222553", "last_capture": "2026-07-30"}, {"url": "http://stokebourneengineering.com:80/contact", "path": "/contact", "captures": 13, "timestamp": "20260910123156", "last_capture": "2026-09-10"}, {"url": "http://stokebourneengineering.com:80/news/order-book-filled-until-spring", "path": "/news/order-book-filled-until-spring", "captures": 10, "timestamp": "20230410042330", "last_capture": "2023-04-10"}, {"url": "http://stokebourneengineering.com:80/news/new-five-axis-centre-installed", "path": "/news/new-five-axis-centre-installed", "captures": 8, "timestamp": "20250627180556", "last_capture": "2025-06-27"}, {"url": "http://stokebourneengineering.com:80/about", "path": "/about", "captures": 6, "timestamp": "20250702000623", "last_capture": "2025-07-02"}, {"url": "http://www.stokebourneengineering.com/services", "path": "/services", "captures": 5, "timestamp": "20231016231105", "last_capture": "2023-10-16"}], "title": "Stokebourne Engineering Ltd – precision turning and gear cutting, Taunton", "topic": "Business", "domain": "stokebourneengineering.com", "blocked": false, "outcome": "ok", "reasons": [], "captures": 125, "findings": [], "language": "en", "last_year": 2026, "first_year": 2009, "good_years": [2009, 2010, 2011, 2012, 2013, 2014, 2015, 2016, 2017, 2018, 2019, 2020, 2021, 2022, 2023, 2024, 2025, 2026], "reviewed_at": "2026-11-19T10:28:03Z", "honest_years": [2009, 2010, 2011, 2012, 2013, 2014, 2015, 2016, 2017, 2018, 2019, 2020, 2021, 2022, 2023, 2024, 2025, 2026], "last_capture": "2026-10-04T05:45:46Z", "parked_share": 0.0, "parked_years": [], "archive_years": 18, "archived_urls": 10, "first_capture": "2009-09-08T05:32:11Z"}'),
	('thornworth-physiotherapy.com', 1795343296, 1797935296, false, '{"eras": [{"end": "2015-05-07T10:41:16Z", "url": "http://127.0.0.1:39971/web/20150507104116/http://www.thornworth-physiotherapy.com/", "days": 35, "kind": "parked", "brand": ["coming", "physiotherapy", "soon", "thornworth"], "start": "2015-05-07T10:41:16Z", "title": "thornworth-physiotherapy.com – Coming Soon", "topic": null, "detail": "coming_soon", "captures": 1, "language": "en"}, {"end": "2026-04-06T18:27:22Z", "url": "http://127.0.0.1:39971/web/20260406182722/https://thornworth-physiotherapy.com/", "days": 3953, "kind": "site", "brand": ["madison", "physiotherapy", "practice", "rehabilitation"], "start": "2015-06-11T16:38:34Z", "title": "Thornworth Physiotherapy Practice – treatment and rehabilitation in Madison", "topic": "Health", "detail": null, "captures": 31, "language": "en"}], "read": [{"at": "2015-05-07T10:41:16Z", "url": "http://127.0.0.1:39971/web/20150507104116/http://www.thornworth-physiotherapy.com/", "kind": "parked", "title": "thornworth-physiotherapy.com – Coming Soon", "words": 13, "detail": "coming_soon", "language": "en"}, {"at": "2015-06-11T16:38:34Z", "url": "http://127.0.0.1:39971/web/20150611163834/http://thornworth-physiotherapy.com:80/", "kind": "site", "title": "Thornworth Physiotherapy Practice – treatment and rehabilitation in Madison", "words": 277, "detail": null, "language": "en"}, {"at": "2016-07-02T03:22:00Z", "url": "http://127.0.0.1:39971/web/20160702032200/http://thornworth-physiotherapy.com/", "kind": "site", "title": "Thornworth Physiotherapy Practice – treatment and rehabilitation in Madison", "words": 274, "detail": null, "language": "en"}, {"at": "2018-08-20T11:04:17Z", "url": "http://127.0.0.1:39971/web/20180820110417/https://thornworth-physiotherapy.com/", "kind": "site", "title": "Thornworth Physiotherapy Practice – treatment and rehabilitation in Madison", "words": 276, "detail": null, "language": "en"}, {"at": "2021-01-26T04:22:57Z", "url": "http://127.0.0.1:39971/web/20210126042257/https://www.thornworth-physiotherapy.com/", "kind": "site", "title": "Thornworth Physiotherapy Practice – treatment and rehabilitation in Madison", "words": 277, "detail": null, "language": "en"}, {"at": "2022-09-16T02:26:49Z", "url": "http://127.0.0.1:39971/web/20220916022649/https://www.thornworth-physiotherapy.com/", "kind": "site", "title": "Thornworth Physiotherapy Practice – treatment and rehabilitation in Madison", "words": 274, "detail": null, "language": "en"}, {"at": "2024-12-15T07:14:11Z", "url": "http://127.0.0.1:39971/web/20241215071411/https://thornworth-physiotherapy.com/", "kind": "site", "title": "Thornworth Physiotherapy Practice – treatment and rehabilitation in Madison", "words": 278, "detail": null, "language": "en"}, {"at": "2026-04-06T18:27:22Z", "url": "http://127.0.0.1:39971/web/20260406182722/https://thornworth-physiotherapy.com/", "kind": "site", "title": "Thornworth Physiotherapy Practice – treatment and rehabilitation in Madison", "words": 271, "detail": null, "language": "en"}], "notes": [], "pages": [{"url": "http://www.thornworth-physiotherapy.com/", "path": "/", "captures": 32, "timestamp": "20260406182722", "last_capture": "2026-04-06"}, {"url": "http://www.thornworth-physiotherapy.com:80/news/what-to-expect-after-a-hip/", "path": "/news/what-to-expect-after-a-hip/", "captures": 9, "timestamp": "20260605192413", "last_capture": "2026-06-05"}, {"url": "http://thornworth-physiotherapy.com:80/news/exercise-beats-rest-for-lower-back/", "path": "/news/exercise-beats-rest-for-lower-back/", "captures": 8, "timestamp": "20260618125355", "last_capture": "2026-06-18"}, {"url": "http://thornworth-physiotherapy.com/news/warning-about-medicines-sold-online/", "path": "/news/warning-about-medicines-sold-online/", "captures": 7, "timestamp": "20260822124349", "last_capture": "2026-08-22"}, {"url": "http://thornworth-physiotherapy.com:80/contact/", "path": "/contact/", "captures": 6, "timestamp": "20260421190323", "last_capture": "2026-04-21"}, {"url": "http://www.thornworth-physiotherapy.com/services/", "path": "/services/", "captures": 5, "timestamp": "20260328202401", "last_capture": "2026-03-28"}, {"url": "http://thornworth-physiotherapy.com:80/about/", "path": "/about/", "captures": 4, "timestamp": "20260318022728", "last_capture": "2026-03-18"}], "title": "Thornworth Physiotherapy Practice – treatment and rehabilitation in Madison", "topic": "Health", "domain": "thornworth-physiotherapy.com", "blocked": false, "outcome": "ok", "reasons": [], "captures": 82, "findings": [{"at": "2015-05-07T10:41:16Z", "url": "http://127.0.0.1:39971/web/20150507104116/http://www.thornworth-physiotherapy.com/", "code": "parking_phrase", "note": "The home page of 2015-05-07 has coming-soon content in its title: “thornworth-physiotherapy.com – Coming Soon”.", "rule": "parking.phrase: coming soon", "zone": "title", "quote": "thornworth-physiotherapy.com – Coming Soon", "lexicon": "2026.11.3", "category": "coming_soon", "severity": 1}, {"at": "2015-05-07T10:41:16Z", "url": "http://127.0.0.1:39971/web/20150507104116/http://www.thornworth-physiotherapy.com/", "code": "parking_phrase", "note": "The home page of 2015-05-07 has coming-soon content in its text: “Our new website is under construction. Please”.", "rule": "parking.phrase: website is under construction", "zone": "body", "quote": "Our new website is under construction. Please", "lexicon": "2026.11.3", "category": "coming_soon", "severity": 1}], "language": "en", "last_year": 2026, "first_year": 2015, "good_years": [2015, 2016, 2017, 2018, 2019, 2020, 2021, 2022, 2023, 2024, 2025, 2026], "reviewed_at": "2026-11-22T10:28:16Z", "honest_years": [2015, 2016, 2017, 2018, 2019, 2020, 2021, 2022, 2023, 2024, 2025, 2026], "last_capture": "2026-08-22T12:43:49Z", "parked_share": 0.0088, "parked_years": [2015], "archive_years": 12, "archived_urls": 10, "first_capture": "2015-05-07T10:41:16Z"}');
INSERT INTO public.scans VALUES
	(1, '2026-11-19', 1795084083, 1795156083, 1795084083, 1795084083, 8, 7, '{"new": 7, "rejected": 1, "published": 6, "below_filter": 1}', NULL, NULL),
	(2, '2026-11-20', 1795170483, 1795242483, 1795170483, 1795170483, 10, 3, '{"new": 2, "rejected": 1, "published": 1, "refreshed": 2, "unchanged": 5, "below_filter": 1}', NULL, NULL),
	(3, '2026-11-21', 1795256883, 1795328883, 1795256883, 1795256883, 10, 2, '{"refreshed": 2, "unchanged": 6, "withdrawn": 1, "below_filter": 2}', NULL, NULL),
	(4, '2026-11-22', 1795343295, 1795415295, 1795343296, 1795343297, 9, 4, '{"new": 3, "published": 3, "refreshed": 1, "unchanged": 3, "below_filter": 2}', NULL, NULL);
INSERT INTO public.source_runs VALUES
	(34, 4, 'godaddy_auctions', 'market_a', 'done', 1795343295, 1795343295, 1, 1, 1, '{"unchanged": 1}', '{}', NULL, false, NULL),
	(35, 4, 'namecheap_market', 'market_b', 'done', 1795343295, 1795343295, 1, 1, 0, '{"below_filter": 1}', '{}', NULL, false, NULL),
	(36, 4, 'namecheap_buy_now', 'market_b', 'done', 1795343295, 1795343295, 1, 1, 1, '{"new": 1}', '{}', NULL, false, NULL),
	(37, 4, 'dynadot_auctions', 'market_c', 'done', 1795343295, 1795343295, 3, 3, 0, '{"refreshed": 1, "unchanged": 1, "below_filter": 1}', '{}', NULL, false, NULL),
	(38, 4, 'dropcatch_dropping', 'market_d', 'done', 1795343296, 1795343296, 1, 1, 1, '{"new": 1}', '{}', NULL, false, NULL),
	(39, 4, 'snapnames_deleting', 'market_d', 'suspect', 1795343296, 1795343296, 0, 0, 0, '{}', '{}', '[]', false, 'the file has no good rows'),
	(40, 4, 'sedo_auctions', 'market_e', 'done', 1795343296, 1795343296, 1, 1, 1, '{"new": 1}', '{}', NULL, false, NULL),
	(41, 4, 'parkio_auctions', 'market_f', 'done', 1795343296, 1795343296, 1, 1, 0, '{"unchanged": 1}', '{}', NULL, false, NULL),
	(42, 4, 'nominet_uk', 'market_g', 'suspect', 1795343296, 1795343296, 0, 0, 0, '{}', '{}', '[]', false, 'the file has no good rows'),
	(43, 4, 'iis_se', 'market_g', 'suspect', 1795343296, 1795343296, 0, 0, 0, '{}', '{}', '[]', false, 'the file has no good rows'),
	(44, 4, 'dns_pl', 'market_g', 'suspect', 1795343296, 1795343296, 0, 0, 0, '{}', '{}', '[]', false, 'the file has no good rows');
INSERT INTO public.usage_counters VALUES
	(2, 'day', 1795305600, 7),
	(2, 'minute', 1795343280, 7);
INSERT INTO public.versions VALUES
	('catalogue', 19),
	('accounts', 8);
INSERT INTO public.watches VALUES
	(2, 'nursery-stokeridge.io', 1795343305, NULL);
INSERT INTO public.webhook_endpoints VALUES
	(1, 2, 'http://127.0.0.1:37145/hook', '["check.completed", "alert.matched"]', true, NULL, 0, NULL, NULL, 1795343305, '\x67414141414142724173504a36734f416f6c4b6768712d7a424c6743706547352d3567456437594f495750724677435075684f69584d4a6f304133523778485530416b4862315f6b7a5a4e3532444d6a627a4a6f48374252774d41414c5f6a5162344942726341743943544856754e7071757a4a793467776b377333755a5f5f724168574a6f79765f5878667633456243587533547136384444516b32505f7174773d3d');
INSERT INTO public.workers VALUES
	('vm:6298:5313eb', 1795343304, 1795343304, 1795343312);
SELECT pg_catalog.setval('public.accounts_id_seq', 3, true);
SELECT pg_catalog.setval('public.alert_matches_id_seq', 4, true);
SELECT pg_catalog.setval('public.alert_rules_id_seq', 1, true);
SELECT pg_catalog.setval('public.api_keys_id_seq', 4, true);
SELECT pg_catalog.setval('public.credit_ledger_id_seq', 5, true);
SELECT pg_catalog.setval('public.deliveries_id_seq', 5, true);
SELECT pg_catalog.setval('public.listings_id_seq', 17, true);
SELECT pg_catalog.setval('public.mails_id_seq', 1, false);
SELECT pg_catalog.setval('public.operator_actions_id_seq', 1, false);
SELECT pg_catalog.setval('public.scans_id_seq', 4, true);
SELECT pg_catalog.setval('public.sign_in_attempts_id_seq', 1, false);
SELECT pg_catalog.setval('public.source_runs_id_seq', 44, true);
SELECT pg_catalog.setval('public.webhook_endpoints_id_seq', 1, true);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT pk_accounts PRIMARY KEY (id);
ALTER TABLE ONLY public.alert_matches
    ADD CONSTRAINT pk_alert_matches PRIMARY KEY (id);
ALTER TABLE ONLY public.alert_rules
    ADD CONSTRAINT pk_alert_rules PRIMARY KEY (id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT pk_api_keys PRIMARY KEY (id);
ALTER TABLE ONLY public.archive_answers
    ADD CONSTRAINT pk_archive_answers PRIMARY KEY (key);
ALTER TABLE ONLY public.archived_pages
    ADD CONSTRAINT pk_archived_pages PRIMARY KEY (domain, path);
ALTER TABLE ONLY public.banned_domains
    ADD CONSTRAINT pk_banned_domains PRIMARY KEY (domain);
ALTER TABLE ONLY public.candidates
    ADD CONSTRAINT pk_candidates PRIMARY KEY (domain);
ALTER TABLE ONLY public.checks
    ADD CONSTRAINT pk_checks PRIMARY KEY (id);
ALTER TABLE ONLY public.credit_ledger
    ADD CONSTRAINT pk_credit_ledger PRIMARY KEY (id);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT pk_deliveries PRIMARY KEY (id);
ALTER TABLE ONLY public.domains
    ADD CONSTRAINT pk_domains PRIMARY KEY (domain);
ALTER TABLE ONLY public.drop_notices
    ADD CONSTRAINT pk_drop_notices PRIMARY KEY (account_id, domain, round);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT pk_events PRIMARY KEY (id);
ALTER TABLE ONLY public.exchange_rates
    ADD CONSTRAINT pk_exchange_rates PRIMARY KEY (currency);
ALTER TABLE ONLY public.grants
    ADD CONSTRAINT pk_grants PRIMARY KEY (reference);
ALTER TABLE ONLY public.host_pace
    ADD CONSTRAINT pk_host_pace PRIMARY KEY (host);
ALTER TABLE ONLY public.job_runs
    ADD CONSTRAINT pk_job_runs PRIMARY KEY (job, moment);
ALTER TABLE ONLY public.listings
    ADD CONSTRAINT pk_listings PRIMARY KEY (id);
ALTER TABLE ONLY public.lookup_answers
    ADD CONSTRAINT pk_lookup_answers PRIMARY KEY (key);
ALTER TABLE ONLY public.mails
    ADD CONSTRAINT pk_mails PRIMARY KEY (id);
ALTER TABLE ONLY public.metric_values
    ADD CONSTRAINT pk_metric_values PRIMARY KEY (domain, role, provider);
ALTER TABLE ONLY public.open_domains
    ADD CONSTRAINT pk_open_domains PRIMARY KEY (domain);
ALTER TABLE ONLY public.open_draws
    ADD CONSTRAINT pk_open_draws PRIMARY KEY (day);
ALTER TABLE ONLY public.operator_actions
    ADD CONSTRAINT pk_operator_actions PRIMARY KEY (id);
ALTER TABLE ONLY public.provider_answers
    ADD CONSTRAINT pk_provider_answers PRIMARY KEY (provider, domain);
ALTER TABLE ONLY public.provider_spend
    ADD CONSTRAINT pk_provider_spend PRIMARY KEY (provider, period);
ALTER TABLE ONLY public.registry_passes
    ADD CONSTRAINT pk_registry_passes PRIMARY KEY (host, pass_at);
ALTER TABLE ONLY public.reminders
    ADD CONSTRAINT pk_reminders PRIMARY KEY (account_id, domain, round, hour);
ALTER TABLE ONLY public.reserved_views
    ADD CONSTRAINT pk_reserved_views PRIMARY KEY (domain);
ALTER TABLE ONLY public.reviews
    ADD CONSTRAINT pk_reviews PRIMARY KEY (domain);
ALTER TABLE ONLY public.scans
    ADD CONSTRAINT pk_scans PRIMARY KEY (id);
ALTER TABLE ONLY public.sign_in_attempts
    ADD CONSTRAINT pk_sign_in_attempts PRIMARY KEY (id);
ALTER TABLE ONLY public.site_sessions
    ADD CONSTRAINT pk_site_sessions PRIMARY KEY (hash);
ALTER TABLE ONLY public.source_runs
    ADD CONSTRAINT pk_source_runs PRIMARY KEY (id);
ALTER TABLE ONLY public.to_match
    ADD CONSTRAINT pk_to_match PRIMARY KEY (domain, round, kind);
ALTER TABLE ONLY public.usage_counters
    ADD CONSTRAINT pk_usage_counters PRIMARY KEY (account_id, kind, start);
ALTER TABLE ONLY public.versions
    ADD CONSTRAINT pk_versions PRIMARY KEY (name);
ALTER TABLE ONLY public.watches
    ADD CONSTRAINT pk_watches PRIMARY KEY (account_id, domain);
ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT pk_webhook_endpoints PRIMARY KEY (id);
ALTER TABLE ONLY public.workers
    ADD CONSTRAINT pk_workers PRIMARY KEY (id);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT uq_accounts_email UNIQUE (email);
ALTER TABLE ONLY public.alert_matches
    ADD CONSTRAINT uq_alert_matches_rule_id_domain_round UNIQUE (rule_id, domain, round);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT uq_api_keys_hash UNIQUE (hash);
ALTER TABLE ONLY public.checks
    ADD CONSTRAINT uq_checks_slot UNIQUE (slot);
ALTER TABLE ONLY public.credit_ledger
    ADD CONSTRAINT uq_credit_ledger_reference UNIQUE (reference);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT uq_deliveries_event_id_endpoint_id UNIQUE (event_id, endpoint_id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT uq_events_occasion UNIQUE (occasion);
ALTER TABLE ONLY public.listings
    ADD CONSTRAINT uq_listings_source_external_id UNIQUE (source, external_id);
ALTER TABLE ONLY public.mails
    ADD CONSTRAINT uq_mails_occasion UNIQUE (occasion);
ALTER TABLE ONLY public.source_runs
    ADD CONSTRAINT uq_source_runs_scan_id_feed UNIQUE (scan_id, feed);
CREATE INDEX ix_alert_matches_account_id ON public.alert_matches USING btree (account_id, matched_at);
CREATE INDEX ix_alert_matches_domain ON public.alert_matches USING btree (domain, round);
CREATE INDEX ix_alert_rules_account_id ON public.alert_rules USING btree (account_id);
CREATE INDEX ix_api_keys_account_id ON public.api_keys USING btree (account_id);
CREATE INDEX ix_archive_answers_keep_until ON public.archive_answers USING btree (keep_until);
CREATE INDEX ix_archived_pages_content_state ON public.archived_pages USING btree (content_state, due_at);
CREATE INDEX ix_candidates_lease_until ON public.candidates USING btree (state, lease_until);
CREATE INDEX ix_candidates_scan ON public.candidates USING btree (scan_id, state, domain);
CREATE INDEX ix_candidates_state ON public.candidates USING btree (state, authority, domain, ends_at, due_at, lease_until);
CREATE INDEX ix_checks_account_id ON public.checks USING btree (account_id, created_at);
CREATE INDEX ix_checks_status ON public.checks USING btree (status, created_at);
CREATE INDEX ix_credit_ledger_account_id ON public.credit_ledger USING btree (account_id);
CREATE INDEX ix_deliveries_due_at ON public.deliveries USING btree (due_at) WHERE ((status)::text = 'pending'::text);
CREATE INDEX ix_deliveries_endpoint_id ON public.deliveries USING btree (endpoint_id, created_at);
CREATE INDEX ix_deliveries_event ON public.deliveries USING btree (event, endpoint_id, due_at, id) WHERE ((status)::text = 'pending'::text);
CREATE INDEX ix_deliveries_waiting ON public.deliveries USING btree (endpoint_id, due_at, id) WHERE ((status)::text = 'pending'::text);
CREATE INDEX ix_domains_announced ON public.domains USING btree (announced, live_until);
CREATE INDEX ix_domains_found_at ON public.domains USING btree (found_at);
CREATE INDEX ix_domains_hunt_day ON public.domains USING btree (hunt_day);
CREATE INDEX ix_domains_live_until ON public.domains USING btree (live_until);
CREATE INDEX ix_domains_next_listing_at ON public.domains USING btree (next_listing_at);
CREATE INDEX ix_domains_recheck_at ON public.domains USING btree (recheck_at);
CREATE INDEX ix_domains_score ON public.domains USING btree (score);
CREATE INDEX ix_events_account_id ON public.events USING btree (account_id);
CREATE INDEX ix_events_created_at ON public.events USING btree (created_at);
CREATE INDEX ix_listings_domain ON public.listings USING btree (domain);
CREATE INDEX ix_listings_feed ON public.listings USING btree (feed, live_until);
CREATE INDEX ix_lookup_answers_keep_until ON public.lookup_answers USING btree (keep_until);
CREATE INDEX ix_mails_status ON public.mails USING btree (status, due_at);
CREATE INDEX ix_operator_actions_domain ON public.operator_actions USING btree (domain);
CREATE INDEX ix_provider_answers_asked_at ON public.provider_answers USING btree (asked_at);
CREATE INDEX ix_reminders_domain ON public.reminders USING btree (domain, round);
CREATE INDEX ix_reviews_reviewed_at ON public.reviews USING btree (reviewed_at);
CREATE INDEX ix_reviews_valid_until ON public.reviews USING btree (valid_until, domain);
CREATE INDEX ix_scans_finished_at ON public.scans USING btree (finished_at);
CREATE INDEX ix_sign_in_attempts_subject ON public.sign_in_attempts USING btree (subject, at);
CREATE INDEX ix_site_sessions_account_id ON public.site_sessions USING btree (account_id);
CREATE INDEX ix_source_runs_feed ON public.source_runs USING btree (feed, id);
CREATE INDEX ix_to_match_due_at ON public.to_match USING btree (due_at);
CREATE INDEX ix_watches_domain ON public.watches USING btree (domain);
CREATE INDEX ix_webhook_endpoints_account_id ON public.webhook_endpoints USING btree (account_id);
ALTER TABLE ONLY public.alert_matches
    ADD CONSTRAINT fk_alert_matches_account_id_accounts FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.alert_matches
    ADD CONSTRAINT fk_alert_matches_rule_id_alert_rules FOREIGN KEY (rule_id) REFERENCES public.alert_rules(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.alert_rules
    ADD CONSTRAINT fk_alert_rules_account_id_accounts FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT fk_api_keys_account_id_accounts FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.candidates
    ADD CONSTRAINT fk_candidates_scan_id_scans FOREIGN KEY (scan_id) REFERENCES public.scans(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.checks
    ADD CONSTRAINT fk_checks_account_id_accounts FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.credit_ledger
    ADD CONSTRAINT fk_credit_ledger_account_id_accounts FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT fk_deliveries_endpoint_id_webhook_endpoints FOREIGN KEY (endpoint_id) REFERENCES public.webhook_endpoints(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT fk_deliveries_event_id_events FOREIGN KEY (event_id) REFERENCES public.events(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.drop_notices
    ADD CONSTRAINT fk_drop_notices_account_id_accounts FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.events
    ADD CONSTRAINT fk_events_account_id_accounts FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.grants
    ADD CONSTRAINT fk_grants_account_id_accounts FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.mails
    ADD CONSTRAINT fk_mails_account_id_accounts FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.open_domains
    ADD CONSTRAINT fk_open_domains_day_open_draws FOREIGN KEY (day) REFERENCES public.open_draws(day) ON DELETE CASCADE;
ALTER TABLE ONLY public.reminders
    ADD CONSTRAINT fk_reminders_account_id_accounts FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.reserved_views
    ADD CONSTRAINT fk_reserved_views_domain_domains FOREIGN KEY (domain) REFERENCES public.domains(domain) ON DELETE CASCADE;
ALTER TABLE ONLY public.site_sessions
    ADD CONSTRAINT fk_site_sessions_account_id_accounts FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.source_runs
    ADD CONSTRAINT fk_source_runs_scan_id_scans FOREIGN KEY (scan_id) REFERENCES public.scans(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.usage_counters
    ADD CONSTRAINT fk_usage_counters_account_id_accounts FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.watches
    ADD CONSTRAINT fk_watches_account_id_accounts FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhook_endpoints
    ADD CONSTRAINT fk_webhook_endpoints_account_id_accounts FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
