//! Natural numbers of any size: just enough for Algorithm 1 never to overflow.

use lucce_encoding::algorithm1::CallId;

/// Limbs of 64 bits, least first; no zero limb at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Natural(Limbs);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Limbs {
    Small(u64),
    Large(std::rc::Rc<[u64]>),
}

impl Natural {
    fn limbs(&self) -> &[u64] {
        match &self.0 {
            Limbs::Small(limb) => std::slice::from_ref(limb),
            Limbs::Large(limbs) => limbs,
        }
    }

    fn from_limbs(mut limbs: Vec<u64>) -> Self {
        while limbs.len() > 1 && limbs.last() == Some(&0) {
            limbs.pop();
        }
        Self(if limbs.len() == 1 { Limbs::Small(limbs[0]) } else { Limbs::Large(limbs.into()) })
    }

    pub fn bits(&self) -> usize {
        let limbs = self.limbs();
        limbs.len() * 64 - limbs[limbs.len() - 1].leading_zeros() as usize
    }
}

impl From<u64> for Natural {
    fn from(limb: u64) -> Self {
        Self(Limbs::Small(limb))
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let (a, b) = (self.limbs(), other.limbs());
        a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl CallId for Natural {
    const ZERO: Self = Self(Limbs::Small(0));
    const ONE: Self = Self(Limbs::Small(1));

    fn checked_add(&self, other: &Self) -> Option<Self> {
        let (a, b) = (self.limbs(), other.limbs());
        let mut carry = false;
        let mut sum: Vec<u64> = Vec::with_capacity(a.len().max(b.len()) + 1);
        for at in 0..a.len().max(b.len()) {
            let (low, first) = a.get(at).unwrap_or(&0).overflowing_add(*b.get(at).unwrap_or(&0));
            let (low, second) = low.overflowing_add(u64::from(carry));
            carry = first || second;
            sum.push(low);
        }
        sum.push(u64::from(carry));
        Some(Self::from_limbs(sum))
    }

    fn checked_sub(&self, other: &Self) -> Option<Self> {
        let (a, b) = (self.limbs(), other.limbs());
        let mut borrow = false;
        let mut rest = Vec::with_capacity(a.len());
        for (at, limb) in a.iter().enumerate() {
            let (low, first) = limb.overflowing_sub(*b.get(at).unwrap_or(&0));
            let (low, second) = low.overflowing_sub(u64::from(borrow));
            borrow = first || second;
            rest.push(low);
        }
        (!borrow && self >= other).then(|| Self::from_limbs(rest))
    }
}

#[test]
fn sums_carry_and_differences_borrow() {
    let mut powers = vec![Natural::ONE];
    for at in 0..200 {
        powers.push(powers[at].checked_add(&powers[at]).unwrap());
    }
    assert_eq!(powers[200].bits(), 201);
    let less = powers[200].checked_sub(&Natural::ONE).unwrap();
    assert_eq!(less.bits(), 200);
    assert_eq!(less.checked_add(&Natural::ONE).unwrap(), powers[200]);
    assert_eq!(less.checked_sub(&powers[200]), None);
    assert!(powers[64] > Natural::from(u64::MAX));
}
