# The first process of a host of tests (hosts.py), in namespaces of its own. Makes what is the host's alone, says
# "ready", and lives until its standard input ends: when the program that made the host ends it, or dies in any way.
#
#   host.sh NAME LINES [FOLDER...]   lines of /etc/hosts; folders of the machine that the host sees, too
set -eu
name=$1 lines=$2
shift 2
echo "$name" >/proc/sys/kernel/hostname

# What is about to be hidden is held here meanwhile.
mount -t tmpfs -o mode=700 held /mnt
mkdir /mnt/cgroup
if [ -d /sys/fs/cgroup ]; then mount --rbind /sys/fs/cgroup /mnt/cgroup; fi
number=0
for folder; do
    number=$((number + 1))
    mkdir "/mnt/$number"
    mount --rbind "$folder" "/mnt/$number"
done

for folder in /tmp /var/tmp /dev/shm; do mount -t tmpfs -o mode=1777 own "$folder"; done
mount -t tmpfs -o mode=755 own /run
mount -t sysfs own /sys # which lists this host's interfaces
if [ -d /sys/fs/cgroup ]; then mount --rbind /mnt/cgroup /sys/fs/cgroup; fi
number=0
for folder; do
    number=$((number + 1))
    mkdir -p "$folder"
    mount --rbind "/mnt/$number" "$folder"
done
umount --lazy /mnt

mkdir -m 700 /run/staithe
printf '%s\n' "$lines" >/run/hosts
mount --bind /run/hosts /etc/hosts
: >/run/resolv.conf # nobody else knows names
servers=$(readlink --canonicalize-missing /etc/resolv.conf)
case $servers in
    /run/*) mkdir -p "${servers%/*}" && : >"$servers" ;; # as on many machines; it is hidden now
esac
if [ -e "$servers" ]; then mount --bind /run/resolv.conf "$servers"; fi

# Of the few ports from which flows.py lets it connect none is spent for a minute on a connection that has ended.
echo 1 >/proc/sys/net/ipv4/tcp_tw_reuse

# Programs tell hosts apart by these.
cat /proc/sys/kernel/random/uuid >/run/boot_id
tr -d - </proc/sys/kernel/random/uuid >/run/machine-id
mount --bind /run/boot_id /proc/sys/kernel/random/boot_id
if [ -e /etc/machine-id ]; then mount --bind /run/machine-id /etc/machine-id; fi

echo ready
# Orphans that end are gone, and stay no zombies. The shell itself would take the end of one for the end of its input.
exec env --ignore-signal=CHLD cat >/dev/null
